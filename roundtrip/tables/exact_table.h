#pragma once
// The table that forgets no request before its timeout: the ground truth.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "core/huge_array.h"
#include "core/prefetch.h"
#include "core/time.h"
#include "roundtrip/four_words.h"
#include "roundtrip/pair_event.h"
#include "roundtrip/pair_table.h"
#include "roundtrip/table_batch.h"

namespace sojourn {

/// Remembers every request until it is answered or expires, so every pair with a delay below
/// `expire` is found.
///
/// The home of a key is one cache line of four slots.  When all four are taken, a new request goes
/// to the next line, and a mark on the full line tells later searches to continue.  A response
/// frees its slot, so the waiting set stays small and cached; an expired slot is free as well.  The
/// table is swept, which also clears the marks, when a third of it is taken or a sixteenth of the
/// lines is marked.  It doubles only if more than a sixth is still waiting.  So memory depends on
/// the number of waiting requests, not on the length of the capture.
class ExactTable {
 public:
  struct Options {
    Duration expire = std::chrono::seconds{10};
    Duration expire_long_lived = std::chrono::hours{1};
    std::size_t initial_slots = std::size_t{1} << 14;
    std::size_t limit_bytes = 0;  ///< is full instead of growing beyond this; 0: no limit
  };

  explicit ExactTable(const Options& options);

  void prefetch(std::uint64_t key) const { prefetch_to_write(&lines_[home(key)]); }

  Admission request(std::uint64_t key, Timestamp time, std::uint8_t flags);
  std::optional<Match> response(std::uint64_t key, Timestamp time);

  /// The same for a batch, without an unpredictable branch: whether an event is a request or a
  /// response, and which slot it takes, cannot be predicted.  It can be predicted that its home
  /// line suffices.
  void apply(std::span<const PairEvent> events, BatchOutcome& out);

  std::size_t memory_bytes() const { return peak_bytes_; }
  /// It would have had to grow beyond its limit.  Batches are stored as long as there is room, and
  /// left out afterwards: a caller that sets a limit checks this after each batch, and stops.
  bool is_full() const { return is_full_; }

 private:
  // The low bits of a tag.  `spilled_bit` belongs to the line, and stays in its first slot until
  // the next sweep.
  static constexpr std::uint64_t waiting_bit = 1, ambiguous_bit = 2, long_bit = 4, spilled_bit = 8;
  static constexpr std::uint64_t low_bits = 15;
  static constexpr std::size_t ways = 4;

  struct alignas(64) Line {
    FourWords tags;  ///< keys with their low bits replaced
    std::array<std::int64_t, ways> sent_ns;

    bool has_spilled() const { return (tags[0] & spilled_bit) != 0; }
  };
  /// One of the four slots of a line, or none.
  struct Slot {
    Line* line = nullptr;
    unsigned way = 0;

    std::uint64_t& tag() const { return line->tags[way]; }
    std::int64_t& sent_ns() const { return line->sent_ns[way]; }
    bool is_free() const { return !(tag() & waiting_bit); }
    void free() const { tag() &= spilled_bit; }
    void fill(std::uint64_t waiting_tag, std::int64_t now_ns) const {
      tag() = (tag() & spilled_bit) | waiting_tag;
      sent_ns() = now_ns;
    }
  };

  struct Choice;
  static const std::array<std::uint8_t, 512> choices;

  /// Which slots of a line hold the key, and which are taken.
  static FourBits look(const Line& line, std::uint64_t key) {
    return compare(line.tags, ~(low_bits ^ waiting_bit), (key & ~low_bits) | waiting_bit);
  }
  static std::uint64_t waiting_tag(std::uint64_t key, std::uint8_t flags) {
    static_assert(long_lived << 1 == long_bit);
    return (key & ~low_bits) | static_cast<std::uint64_t>(flags & long_lived) << 1 | waiting_bit;
  }
  std::size_t home(std::uint64_t key) const { return key >> shift_; }
  std::size_t after(std::size_t line) const { return (line + 1) & (lines_.size() - 1); }
  bool expired(std::uint64_t tag, std::int64_t sent_ns, std::int64_t now_ns) const {
    return difference_ns(now_ns, sent_ns) > ((tag & long_bit) ? long_lived_ns_ : expire_ns_);
  }
  bool expired(const Slot& slot, std::int64_t now_ns) const {
    return expired(slot.tag(), slot.sent_ns(), now_ns);
  }
  [[gnu::always_inline]] inline bool apply_quickly(Line& line, const PairEvent& event,
                                                   BatchOutcome& out, std::size_t& used) const;
  Slot find(std::uint64_t key);
  Slot make_room(std::uint64_t key, std::int64_t now_ns);
  bool needs_sweep(std::size_t incoming) const {
    const bool crowded = used_ + incoming > lines_.size() * ways / 3;
    // Not too often: keys that all share a home would mark lines as fast as a sweep clears them.
    return crowded || (marked_ > lines_.size() / 16 && since_sweep_ > lines_.size());
  }
  void sweep(std::int64_t now_ns, std::size_t incoming);
  /// Twice as much, since the next sweep copies it.
  bool fits(std::size_t lines) const {
    return limit_bytes_ == 0 || 2 * lines * sizeof(Line) <= limit_bytes_;
  }
  void resize(std::size_t lines);

  HugeArray<Line> lines_;
  int shift_ = 0;
  std::size_t used_ = 0;         ///< slots that are not free, expired or not
  std::size_t marked_ = 0;       ///< lines that have spilled
  std::size_t since_sweep_ = 0;  ///< events; a mark needs five of them, so most lines have none
  std::size_t peak_bytes_ = 0;
  std::int64_t expire_ns_;
  std::int64_t long_lived_ns_;
  std::size_t limit_bytes_;
  bool is_full_ = false;
};

static_assert(PairTable<ExactTable>);

}  // namespace sojourn
