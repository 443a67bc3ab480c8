#include "tests/testbed/link_model.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numbers>

namespace sojourn::testbed {
namespace {

Duration scaled(Duration duration, double factor) {
  return Duration{std::llround(static_cast<double>(duration.count()) * factor)};
}

Duration seconds(double value) { return Duration{std::llround(value * 1e9)}; }

}  // namespace

double LinkModel::draw(Luck what) const {
  const std::uint64_t bits = keyed_hash(key_, frames_, static_cast<std::uint64_t>(what) + 1);
  return static_cast<double>(bits >> 11) * 0x1p-53;
}

bool LinkModel::is_lost() {
  const double switches = in_burst_ ? options_.burst_leave : options_.burst_enter;
  if (draw(Luck::burst) < switches) in_burst_ = !in_burst_;
  return in_burst_ || draw(Luck::loss) < options_.loss;
}

Duration LinkModel::drawn_delay() const {
  const double luck = draw(Luck::jitter);
  double jitters = 0;
  switch (options_.shape) {
    case JitterShape::constant:
      break;
    case JitterShape::uniform:
      jitters = 2 * luck - 1;
      break;
    case JitterShape::normal:  // Box and Muller 1958
      jitters = std::sqrt(-2 * std::log1p(-luck)) *
                std::cos(2 * std::numbers::pi * draw(Luck::jitter_angle));
      break;
    case JitterShape::exponential:
      jitters = -std::log1p(-luck);
      break;
    case JitterShape::pareto: {
      constexpr double shape = 2.5;
      jitters = (shape - 1) * (std::pow(1 - luck, -1 / shape) - 1);
      break;
    }
  }
  return std::max(Duration{}, options_.delay + scaled(options_.jitter, jitters));
}

Passage LinkModel::enter(Timestamp arrival, std::uint64_t length) {
  ++frames_;
  if (is_lost()) return {.fate = Fate::lost, .leaves = arrival, .copy_leaves = {}};

  Timestamp served = arrival;
  if (options_.bits_per_second > 0) {
    const Timestamp start = std::max(arrival, queue_empty_at_);
    const double waiting_bits =
        std::chrono::duration<double>(start - arrival).count() * options_.bits_per_second;
    const double bits = static_cast<double>(length) * 8;
    if (waiting_bits + bits > static_cast<double>(options_.queue_bytes) * 8)
      return {.fate = Fate::queue_drop, .leaves = arrival, .copy_leaves = {}};
    served = queue_empty_at_ = start + seconds(bits / options_.bits_per_second);
  }

  Passage passage{.fate = Fate::forwarded, .leaves = served + drawn_delay(), .copy_leaves = {}};
  if (draw(Luck::reorder) < options_.reorder) {
    // It does not delay those behind it: last_leaves_ is unchanged.
    passage.leaves += options_.reorder_extra;
    passage.fate = Fate::reordered;
  } else if (options_.jitter_may_reorder) {
    if (passage.leaves < last_leaves_) passage.fate = Fate::reordered;
    last_leaves_ = std::max(last_leaves_, passage.leaves);
  } else {
    last_leaves_ = passage.leaves = std::max(passage.leaves, last_leaves_);
  }
  if (draw(Luck::duplicate) < options_.duplicate) passage.copy_leaves = passage.leaves;
  return passage;
}

}  // namespace sojourn::testbed
