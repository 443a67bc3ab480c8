#pragma once
// From captured bytes to what the pairing rules need, batch by batch.

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/hash.h"
#include "core/kind.h"
#include "core/packet.h"
#include "wire/skip.h"
#include "wire/summary.h"
#include "wire/wanted.h"

namespace sojourn {

/// Turns packets into summaries of their innermost IP packet.
///
/// Every packet ends in exactly one place: a Summary or one counter of `skipped()`.  No byte past
/// `Packet::captured` is read, nothing is allocated.  Lengths come from the IP header, so a snap
/// length matters only if it cuts a header.
class Parser {
 public:
  /// Packets that no wanted kind can use are not parsed further, and are counted as not_wanted or
  /// not_paired.
  Parser(const HashKey& key, KindSet wanted) : key_(key), wanted_(wanted) {}

  /// Writes a Summary for every packet that the rules can use and returns their number, at most
  /// packets.size(); `out` must have that much room.  `first_index` is the position of packets[0]
  /// in the capture.
  std::size_t summarize(std::span<const Packet> packets, std::span<Summary> out,
                        std::uint32_t first_index);

  /// The same into one list for each shard of the flows.  `ends[s]` is the end of shard s's list,
  /// with room for packets.size() more, and is advanced.  `next_read` bytes behind each packet is
  /// what this thread will probably read next.
  void deal(std::span<const Packet> packets, std::span<Summary*> ends, std::uint32_t first_index,
            std::ptrdiff_t next_read);

  /// From now on Summary::origin is the interface number.
  void tell_interfaces() { by_interface_ = true; }

  const SkipCounters& skipped() const { return skipped_; }

 private:
  template <class Room>
  inline void parse(std::span<const Packet> packets, Room& room, std::uint32_t first_index,
                    std::ptrdiff_t next_read);

  HashKey key_;
  Wanted wanted_;
  SkipCounters skipped_;
  bool by_interface_ = false;
};

}  // namespace sojourn
