#pragma once
// Two points and their clocks: which way a packet went, and how far the clocks are apart.

#include <array>
#include <cstdint>
#include <optional>

#include "core/time.h"

namespace sojourn {

/// A reading is the time at Y less the time at X.  With offset theta of the clocks, packets from X
/// to Y read d + theta, those from Y to X read theta - d', and neither d nor d' is negative.  So of
/// a flow and its counterpart the greater reading goes forward, whatever theta is; and theta lies
/// between the greatest reading backward and the least forward (docs/design/collector.md).
///
/// The bounds close at once and open by the drift that clocks may have, 200 ppm.  A flow and its
/// counterpart that contradict them show that a clock was set: the bounds begin anew.
class PairClock {
 public:
  /// `flow` and `reversed` are hashes of both directions of a conversation.
  void reading(std::uint64_t flow, std::uint64_t reversed, Timestamp sent, std::int64_t ns);

  /// Does a packet with this reading go from X to Y?  Without traffic both ways the sign tells
  /// where it is beyond doubt, and else the majority of the signs.
  bool forward(std::int64_t ns) const;

  /// Both are not known without traffic both ways.
  std::optional<std::int64_t> low_ns() const {
    return bounded() ? std::optional{low_} : std::nullopt;
  }
  std::optional<std::int64_t> high_ns() const {
    return bounded() ? std::optional{high_} : std::nullopt;
  }
  bool bounded() const { return bounded_at_.has_value(); }
  std::uint64_t steps() const { return steps_; }

  /// Sum of what both points say of their clocks; nullopt: not known, or not synchronised.
  void state_error(std::optional<std::int64_t> error_ns) { error_ns_ = error_ns; }
  std::optional<std::int64_t> error_ns() const { return error_ns_; }
  /// A named path says which point comes first where delays do not.
  void expect(bool forward) { expected_ = forward; }

 private:
  struct Last {
    std::uint64_t flow;
    std::int64_t ns;
    Timestamp sent;
  };

  void relax(Timestamp now);
  void evidence(std::int64_t low, std::int64_t high, Timestamp now);

  std::array<Last, 256> last_{};  ///< by conversation
  std::int64_t low_ = 0, high_ = 0;
  std::optional<Timestamp> bounded_at_;
  std::optional<std::int64_t> error_ns_;
  std::optional<bool> expected_;
  int balance_ = 0;  ///< of signs
  std::uint64_t steps_ = 0;
};

}  // namespace sojourn
