#pragma once
// NTP, RFC 5905 section 7.3.

#include <cstdint>

#include "wire/headers/endian.h"

namespace sojourn {

inline constexpr std::uint16_t ntp_port = 123;

enum class NtpMode : std::uint8_t {
  symmetric_active = 1,
  symmetric_passive = 2,
  client = 3,
  server = 4,
};

struct NtpHeader {
  std::uint8_t leap_version_mode = 0x23;  // 2, 3 and 3 bits
  std::uint8_t stratum = 0;
  std::uint8_t poll = 0;
  std::uint8_t precision = 0;
  Be32 root_delay{};
  Be32 root_dispersion{};
  Be32 reference_identifier{};
  Be64 reference{};
  Be64 originate{};  ///< a response repeats the request's transmit timestamp here
  Be64 receive{};
  Be64 transmit{};

  NtpMode mode() const { return static_cast<NtpMode>(leap_version_mode & 7u); }
};
static_assert(sizeof(NtpHeader) == 48 && WireStruct<NtpHeader>);

/// Mode 1 is a request: a symmetric passive peer (2) answers it at once.  Between two active peers
/// (1 <-> 1) each packet also echoes the other's last one, but only after a poll interval.  That is
/// not network delay, so such packets are not paired.
inline bool is_ntp_request(NtpMode mode) {
  return mode == NtpMode::client || mode == NtpMode::symmetric_active;
}
inline bool is_ntp_response(NtpMode mode) {
  return mode == NtpMode::server || mode == NtpMode::symmetric_passive;
}

}  // namespace sojourn
