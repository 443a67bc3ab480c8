#pragma once
// Follows TCP connections and detects the signs of loss in each packet.

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "core/loss_sign.h"
#include "core/time.h"
#include "roundtrip/loss/stream_holes.h"
#include "wire/summary.h"

namespace sojourn {

/// What one packet shows.
struct LossSigns {
  std::uint16_t bits = 0;
  bool to_server = false;  ///< its direction
  double weight = 0;       ///< how many packets it represents; 0 if its flow is not followed

  bool has(LossSign sign) const { return (bits >> index_of(sign)) & 1u; }
  void add(LossSign sign) { bits = static_cast<std::uint16_t>(bits | 1u << index_of(sign)); }
};

/// The rules are those of docs/design/loss.md, near to tshark's tcp.analysis.
///
/// At most `most_flows` connections are followed.  When there are more, those that ended or were
/// idle for a minute are forgotten.  If that is not enough, only connections whose hash is below a
/// threshold are followed from then on, half as many as before, and each of their packets counts
/// for 1/p.  A connection below the threshold was followed from its start, so every packet is
/// counted once on average: only the hash decides.
class LossTracker {
 public:
  explicit LossTracker(std::size_t most_flows = 1u << 20) : most_flows_(most_flows) {}

  /// `packet` is TCP and in the order of the capture.
  LossSigns look_at(const Summary& packet);

  /// Share of the connections that are followed now.
  double followed_share() const { return followed_share_; }
  std::size_t memory_bytes() const { return flows_.size() * (sizeof(Flow) + 32); }

 private:
  struct Side {
    StreamHoles holes;
    std::uint32_t next = 0;          ///< after the last byte sent
    std::uint32_t acknowledged = 0;  ///< of the other side's bytes
    std::uint16_t window = 0;
    bool has_next = false, has_acknowledged = false;
    Timestamp syn_time;
  };
  struct Flow {
    std::array<Side, 2> sides;
    Timestamp last_seen;
    Duration round_trip{0};  ///< of the handshake, both legs; 0 if unknown
    bool server_is_high = false, ends_known = false, syn_seen = false, ended = false;
  };

  Flow* flow_of(const Summary& packet);
  void make_room(Timestamp now);
  bool is_followed(std::uint64_t hash) const { return hash <= threshold_; }
  static void meet(const Summary& packet, Flow& flow);
  static void look_at_segment(const Summary& packet, Flow& flow, LossSigns& signs);
  static void look_at_number(const Summary& packet, Flow& flow);
  static void look_at_acknowledgment(const Summary& packet, Flow& flow, LossSigns& signs);

  std::unordered_map<std::uint64_t, Flow> flows_;
  std::size_t most_flows_;
  std::uint64_t threshold_ = ~std::uint64_t{0};
  double followed_share_ = 1;
};

}  // namespace sojourn
