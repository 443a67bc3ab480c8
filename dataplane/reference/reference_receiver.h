#pragma once
// RLI's receiver in the kernel, as this process holds it.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/packet.h"
#include "core/result.h"
#include "dataplane/reference/reference_flows.h"
#include "oneway/rli/line_bytes.h"

namespace sojourn {

struct ReferenceReceiverOptions {
  std::size_t memory_bytes = std::size_t{16} << 20;  ///< for flows
  double capacity_bytes_a_second = 0;  ///< of the link before the receiver; 0: unknown
  std::uint32_t reference_bytes = 48;  ///< length of a reference packet's IP packet
  LineBytes line = LineBytes::ethernet();
  std::optional<std::uint16_t> sender = {};  ///< of the reference packets; else the first one met
  std::uint64_t seed = 0;
  bool replay = false;  ///< packets bring their own time
  unsigned steps = 0;   ///< benchmark: step through so many flows
};

/// Slower links would take a packet longer than the program can count (interpolation.h).
inline constexpr double least_reference_capacity = 125'000;  // bytes a second: 1 Mbit/s

rp_config make_reference_config(const ReferenceReceiverOptions& options);

/// Two tables of flows take turns: the program writes into one while the other is read and emptied.
/// So a run of any length needs fixed memory, and the figures are those of an interval.
class ReferenceReceiver {
 public:
  static Result<ReferenceReceiver> load(const ReferenceReceiverOptions& options);

  ReferenceReceiver(ReferenceReceiver&&) noexcept;
  ReferenceReceiver& operator=(ReferenceReceiver&&) noexcept;
  ~ReferenceReceiver();

  int descriptor() const;        ///< of the program, for tc ingress
  int empty_descriptor() const;  ///< of one that does nothing
  std::size_t memory_bytes() const;
  rp_counters counters() const;  ///< of all CPUs, since the beginning

  /// Tells the program how far its clock is from that of captures; to be repeated now and then.
  void follow_clock();
  /// Flows begin anew, in the other table.
  void turn();
  /// The table that was turned away from waits for no reference packet any more.
  bool is_settled() const;
  /// What that table has; then it is empty.
  std::vector<ReferenceFlow> take();

 private:
  struct State;
  explicit ReferenceReceiver(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace sojourn
