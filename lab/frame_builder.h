#pragma once
// Values to the bytes of a frame: Ethernet, IPv4, and TCP or a DNS message in UDP.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/address.h"
#include "lab/traffic_model.h"

namespace sojourn {

/// Of TCP sequence numbers (RFC 9293 section 3.4) and timestamps, which wrap around.
constexpr bool newer(std::uint32_t a, std::uint32_t b) {
  return static_cast<std::int32_t>(a - b) > 0;
}

inline constexpr std::uint16_t lab_server_port = 5001;  ///< no dissector of tshark claims it

/// Who talks to whom.
struct LabEnds {
  std::uint32_t client = 0, server = 0;  ///< IPv4 addresses in host order
  std::uint16_t client_port = 0, server_port = 0;

  /// Ends of their own for each number below 2^39: clients in 10.0.0.0/8, servers in 198.18.0.0/15
  /// (RFC 2544, for benchmarks).
  static LabEnds of_flow(std::uint64_t number, std::uint16_t server_port);

  IpAddress client_address() const;
  IpAddress server_address() const;
};

/// A sample without time and delay: who asked whom, of what kind.
Sample sample_between(const LabEnds& ends, bool client_asks, Kind kind);

struct LabSegment {
  bool from_client = true;
  std::uint8_t flags = 0;  ///< as in the TCP header
  std::uint32_t sequence = 0, acknowledgment = 0;
  std::uint32_t payload = 0;  ///< bytes, all zero
  bool has_timestamps = false;
  std::uint32_t ts_value = 0, ts_echo = 0;
  std::uint16_t window = 0xffff;
};

inline constexpr std::uint8_t fin_flag = 1, syn_flag = 2, rst_flag = 4, push_flag = 8,
                              ack_flag = 16;

/// Builds one frame at a time in a buffer of its own.  Checksums are right, also that of a payload
/// which the capture cuts off: the payload is zeros.
class FrameBuilder {
 public:
  /// `snap_length`: bytes of a frame to keep; at least all headers are.
  explicit FrameBuilder(std::uint32_t snap_length);

  LabFrame tcp(Timestamp time, const LabEnds& ends, const LabSegment& segment);

  /// A question for the address of h`number`.example, or its answer.
  LabFrame dns(Timestamp time, const LabEnds& ends, std::uint64_t number, bool is_response);

 private:
  std::size_t put_ip(const LabEnds& ends, bool from_client, std::uint8_t protocol,
                     std::uint32_t payload);
  LabFrame finish(Timestamp time, std::size_t headers, std::uint32_t payload);

  static constexpr std::size_t buffer_bytes = 2048;
  std::uint32_t snap_length_;
  std::uint16_t identification_ = 0;
  std::size_t dirty_ = 0;  ///< bytes of the buffer that are not zero any more
  std::array<std::uint8_t, buffer_bytes> buffer_{};
};

}  // namespace sojourn
