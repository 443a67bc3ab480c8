#pragma once
// What the parser has to deliver for the wanted kinds of round trip.

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

  bool tcp;  ///< all TCP; DNS alone needs only the TCP segments of its port
  bool dns;
  bool ntp;
  bool icmp;
  bool quic;
};

}  // namespace sojourn
