#pragma once
// Records of all points that wait for their partners, in fixed memory.

#include <array>
#include <bit>
#include <cassert>
#include <cstdint>
#include <cstring>

#include "core/hash.h"
#include "core/huge_array.h"
#include "core/prefetch.h"
#include "core/time.h"
#include "oneway/cnf/flow_record.h"

namespace sojourn {

/// Hash of a flow for tables; fields by machine words, not byte by byte.
inline std::uint64_t hash_of(const HashKey& key, const FlowKey& flow) {
  const auto of_address = [&key](const IpAddress& address) {
    std::uint64_t words[2] = {};
    const auto bytes = address.bytes();
    std::memcpy(words, bytes.data(), bytes.size());
    return keyed_hash(key, words[0], words[1] ^ bytes.size());
  };
  const std::uint64_t ports = static_cast<std::uint64_t>(flow.source_port) << 32 |
                              static_cast<std::uint64_t>(flow.destination_port) << 16 |
                              flow.protocol;
  return keyed_hash(key, of_address(flow.source) + ports, of_address(flow.destination));
}

struct WaitingRecord {
  FlowRecord record;
  std::uint64_t flow = 0;       ///< hash_of(key)
  std::uint64_t older = 0;      ///< number of the next older record of the same bucket
  Timestamp arrived{};          ///< by the collector's clock
  std::uint32_t instance = 0;   ///< whose record
  std::uint32_t place = 0;      ///< the point's name, whichever instance
  std::uint32_t selection = 0;  ///< records of different selections are not joined; 0: not known
  bool first_counts = true;     ///< false: the label was met before at this point
  bool last_counts = true;      ///< false also if the record has one packet only
  bool joined = false;
  bool met_other_selection = false;
  bool late = false;  ///< when it came, its partners may have been gone already
  /// A segment that its flow was seen on.
  struct On {
    std::uint16_t segment;
    bool joined;            ///< by a label of this very record
    bool settled;           ///< ... at both ends, and its packets are booked already
    std::int32_t delay_us;  ///< a late one, in the segment's direction
  };
  std::uint8_t segment_count = 0;
  std::array<On, 6> segments{};  ///< as far as there is room

  const On* on(std::uint32_t segment) const {
    for (std::size_t i = 0; i < segment_count; ++i)
      if (segments[i].segment == segment) return &segments[i];
    return nullptr;
  }
  /// nullptr if there is no room.
  On* note(std::uint32_t segment) {
    if (const On* known = on(segment)) return const_cast<On*>(known);
    if (segment_count == segments.size()) return nullptr;
    segments[segment_count] = {static_cast<std::uint16_t>(segment), false, false, 0};
    return &segments[segment_count++];
  }
};

/// A ring in the order of arrival, and chains through it by flow, newest first.  Nothing has to be
/// taken out of a chain: what has left the ring is at its end.  Numbers count from 1.
class WaitingRecords {
 public:
  explicit WaitingRecords(std::size_t memory_bytes)
      : ring_(std::max<std::size_t>(
            16,
            std::bit_floor(memory_bytes / (sizeof(WaitingRecord) + 2 * sizeof(std::uint64_t))))),
        heads_(2 * ring_.size()) {}

  std::size_t size() const { return static_cast<std::size_t>(next_ - oldest_); }
  bool full() const { return size() == ring_.size(); }
  bool empty() const { return size() == 0; }

  void prefetch(std::uint64_t flow) const { prefetch_to_read(&heads_[bucket_of(flow)]); }
  void prefetch_newest(std::uint64_t flow) const {
    prefetch_to_read(&ring_[heads_[bucket_of(flow)] & (ring_.size() - 1)]);
  }

  /// Must not be full.  Gives its number.
  std::uint64_t add(const WaitingRecord& record) {
    assert(!full());
    const std::uint64_t number = next_++;
    WaitingRecord& place = at(number);
    place = record;
    place.older = std::exchange(heads_[bucket_of(record.flow)], number);
    return number;
  }

  bool contains(std::uint64_t number) const { return number >= oldest_ && number < next_; }
  WaitingRecord& at(std::uint64_t number) { return ring_[number & (ring_.size() - 1)]; }

  WaitingRecord& oldest() { return at(oldest_); }
  void drop_oldest() { ++oldest_; }

  /// Calls visit(number, record) for those of the flow, newest first, while it returns true; looks
  /// at `most` records of the bucket.  False if there were more.
  template <class Visit>
  bool for_each(std::uint64_t flow, std::size_t most, Visit visit) {
    for (std::uint64_t number = heads_[bucket_of(flow)]; contains(number);) {
      if (most-- == 0) return false;
      WaitingRecord& record = at(number);
      const std::uint64_t older = record.older;
      if (record.flow == flow && !visit(number, record)) return true;
      number = older;
    }
    return true;
  }

 private:
  std::size_t bucket_of(std::uint64_t flow) const { return (flow >> 20) & (heads_.size() - 1); }

  HugeArray<WaitingRecord> ring_;
  HugeArray<std::uint64_t> heads_;
  std::uint64_t oldest_ = 1, next_ = 1;
};

}  // namespace sojourn
