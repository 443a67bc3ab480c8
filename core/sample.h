#pragma once
// One measured delay with its weight, and its two hosts.

#include <cstdint>

#include "core/address.h"
#include "core/kind.h"
#include "core/time.h"

namespace sojourn {

/// The requester sent the request; the delay is that of the path to the responder and back.
struct Sample {
  Timestamp time;     ///< when the response passed
  Duration delay;     ///< response time minus request time; negative if the capture's clock stepped
  double weight = 1;  ///< how many real pairs it represents
  Kind kind = Kind::tcp;
  Leg leg = Leg::server;
  /// Hash of what correlated samples share: the connection, or the two hosts for kinds without one;
  /// 0 if unknown.
  std::uint64_t flow = 0;
  bool requester_is_server = false;
  std::uint16_t requester_port = 0;
  std::uint16_t responder_port = 0;
  std::uint16_t vlan = no_vlan;  ///< outermost VLAN identifier of the response
  // Used only by groups, 0 unless asked for: names by number (naming/name_table.h).
  std::uint32_t way = 0;       ///< the interface or the tunnel through which the response came
  std::uint32_t dns_name = 0;  ///< the name in the question
  std::uint16_t dns_type = 0;
  std::uint8_t dns_code = no_code;  ///< response code
  IpAddress requester;
  IpAddress responder;

  std::uint16_t server_port() const {
    return requester_is_server ? requester_port : responder_port;
  }

  static constexpr std::uint16_t no_vlan = 0xffff;
  static constexpr std::uint8_t no_code = 0xff;
};

}  // namespace sojourn
