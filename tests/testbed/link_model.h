#pragma once
// What a link does to the frames in one direction.  Pure: times are given and random numbers come
// from a seed, so a test can simulate a year of traffic in a millisecond.

#include <cstdint>
#include <optional>

#include "core/hash.h"
#include "core/time.h"

namespace sojourn::testbed {

/// How the jitter of a frame is drawn.
enum class JitterShape : std::uint8_t {
  constant,     // none
  uniform,      // from delay - jitter to delay + jitter
  normal,       // standard deviation `jitter` around the delay
  exponential,  // `jitter` on average on top of the delay
  pareto,       // the same average, but a heavy tail (Lomax with shape 2.5: finite variance)
};

struct LinkOptions {
  Duration delay{};
  Duration jitter{};
  JitterShape shape = JitterShape::constant;
  bool jitter_may_reorder = false;  ///< otherwise a frame waits for those in front of it

  double loss = 0;  ///< of each frame, independent of all others
  double burst_enter =
      0;  ///< Gilbert-Elliott: from the good state to the bad one, a frame's chance
  double burst_leave = 0;  ///< ... and back; the bad state loses everything

  double bits_per_second = 0;           ///< 0: as fast as the frames come
  std::uint64_t queue_bytes = 1 << 16;  ///< DropTail: what finds the queue full is dropped

  double reorder = 0;        ///< probability that a frame is delayed and overtaken
  Duration reorder_extra{};  ///< the extra delay
  double duplicate = 0;      ///< probability that a frame is duplicated
};

enum class Fate : std::uint8_t {
  forwarded,
  reordered,   // forwarded, and overtaken by or overtaking another frame
  duplicated,  // forwarded, and this is the second copy
  lost,
  queue_drop,
  unsent,   // still queued when the emulator ended, or refused by the outgoing interface
  no_room,  // longer than a slot, or all slots taken: the emulator's own limit
  count_,
};

/// When the frame, and perhaps its copy, leaves the link.
struct Passage {
  Fate fate = Fate::forwarded;
  Timestamp leaves;
  std::optional<Timestamp> copy_leaves;
};

/// One direction of a link: loss, then a queue drained at a fixed rate, then the delay.
///
/// The random decisions for the n-th frame depend only on the seed and n.  So two runs with the
/// same frames lose the same ones, and enabling jitter does not change which.
class LinkModel {
 public:
  LinkModel(const LinkOptions& options, std::uint64_t seed)
      : options_(options), key_(HashKey::from_seed(seed)) {}

  /// Frames must be given in the order of their arrival.
  Passage enter(Timestamp arrival, std::uint64_t length);

 private:
  enum class Luck : std::uint8_t { loss, burst, jitter, jitter_angle, reorder, duplicate };

  double draw(Luck what) const;  ///< uniform in [0, 1), for the current frame
  bool is_lost();
  Duration drawn_delay() const;

  LinkOptions options_;
  HashKey key_;
  std::uint64_t frames_ = 0;
  bool in_burst_ = false;
  Timestamp queue_empty_at_{};
  Timestamp last_leaves_{};
};

}  // namespace sojourn::testbed
