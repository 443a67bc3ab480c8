#pragma once
// What the wanted kinds of round trip ask of the parser.

#include "core/kind.h"

namespace sojourn {

struct Wanted {
  explicit constexpr Wanted(KindSet kinds)
      : tcp(kinds.has(Kind::tcp) || kinds.has(Kind::handshake) || kinds.has(Kind::tcp_ts) ||
            kinds.has(Kind::flow) || kinds.has(Kind::response) || kinds.has(Kind::tls)),
        dns(kinds.has(Kind::dns)),
        ntp(kinds.has(Kind::ntp)),
        icmp(kinds.has(Kind::icmp)),
        quic(kinds.has(Kind::quic)) {}

  bool tcp;  ///< all of it; DNS alone asks for the TCP segments of its port only
  bool dns;
  bool ntp;
  bool icmp;
  bool quic;
};

}  // namespace sojourn
