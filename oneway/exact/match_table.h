#pragma once
// Packets seen at one point that wait for the other.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "core/huge_array.h"
#include "core/prefetch.h"
#include "core/time.h"
#include "oneway/point.h"

namespace sojourn {

/// Every packet waits here until it is seen at the other point, or until the other point is more
/// than `window` past it.  Either point may see it first, because clocks may be wrong.
///
/// As in roundtrip/tables/exact_table.h, the home of a key is one cache line, here of three slots;
/// a full line has a mark and passes new keys to the next.  A match frees its slot.  The table is
/// swept when a third of it is taken, and doubles if that did not help: memory depends on the
/// number of waiting packets.  Unlike there, an expired entry is not just forgotten but returned:
/// it may be a loss.
class MatchTable {
 public:
  struct Entry {
    std::int64_t time_ns;
    std::uint32_t flow;
    Point point;
  };
  struct Meeting {
    std::optional<Entry> partner;  ///< the packet at the other point; it no longer waits
    bool twin = false;             ///< an identical packet of the same point still waits
  };

  explicit MatchTable(Duration window, std::size_t initial_lines = 1024);

  void prefetch(std::uint64_t key) const { prefetch_to_write(&lines_[home(key)]); }

  /// The earliest partner within the window, so identical packets match in their order.
  Meeting meet(std::uint64_t key, Point point, std::int64_t time_ns);
  /// Stores a packet that found no partner.
  void wait(std::uint64_t key, const Entry& entry);

  /// Makes room for this many packets.  Entries that can no longer be matched, because the other
  /// point has reached `progress`, are appended to `expired`.
  struct Progress {
    std::int64_t first_ns = std::numeric_limits<std::int64_t>::min();
    std::int64_t last_ns = std::numeric_limits<std::int64_t>::min();

    std::int64_t& of(Point point) { return point == Point::first ? first_ns : last_ns; }
    std::int64_t of(Point point) const { return point == Point::first ? first_ns : last_ns; }
  };
  void make_room(std::size_t packets, const Progress& progress, std::vector<Entry>& expired) {
    if (needs_sweep(packets)) [[unlikely]]
      sweep(packets, progress, expired);
  }
  /// All entries that still wait; the table is empty afterwards.
  void take_all(std::vector<Entry>& waiting);

  std::size_t memory_bytes() const { return peak_bytes_; }

 private:
  static constexpr std::size_t ways = 3;
  // The low bits of a tag; the others are the key's.
  static constexpr std::uint64_t waiting_bit = 1, last_bit = 2, low_bits = 3;

  struct alignas(64) Line {
    std::array<std::uint64_t, ways> tags;
    std::array<std::int64_t, ways> times;
    std::array<std::uint32_t, ways> flows;
    std::uint32_t spilled;  ///< a key whose home is here is in a later line
  };
  static_assert(sizeof(Line) == 64);

  std::size_t home(std::uint64_t key) const { return key >> shift_; }
  std::size_t after(std::size_t line) const { return (line + 1) & (lines_.size() - 1); }
  static Point point_of(std::uint64_t tag) { return (tag & last_bit) ? Point::last : Point::first; }
  bool needs_sweep(std::size_t packets) const {
    return used_ + packets > lines_.size() ||
           (marked_ > lines_.size() / 16 && since_sweep_ > lines_.size());
  }
  void sweep(std::size_t packets, const Progress& progress, std::vector<Entry>& expired);
  void store(std::uint64_t tag, std::int64_t time_ns, std::uint32_t flow);
  void resize(std::size_t lines);

  HugeArray<Line> lines_;
  int shift_ = 0;
  std::size_t used_ = 0, marked_ = 0, since_sweep_ = 0;
  std::size_t peak_bytes_ = 0;
  std::int64_t window_ns_;
};

}  // namespace sojourn
