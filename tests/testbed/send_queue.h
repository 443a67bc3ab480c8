#pragma once
// Frames in flight: copied in when they come, sent when they are due.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/time.h"
#include "tests/testbed/link_model.h"

namespace sojourn::testbed {

/// Ethernet with an MTU of 1500, two VLAN tags and some reserve.
inline constexpr std::size_t longest_frame = 1536;

/// A frame in flight.
struct Flight {
  std::array<std::byte, longest_frame> storage;
  std::size_t captured = 0;
  std::size_t direction = 0;
  Timestamp arrived;
  Timestamp leaves;
  Fate fate = Fate::forwarded;

  std::span<const std::byte> bytes() const { return {storage.data(), captured}; }
};

/// A fixed number of slots in a heap ordered by the time to leave; equal times keep their order.
class SendQueue {
 public:
  explicit SendQueue(std::size_t capacity) : slots_(capacity) {
    for (std::size_t i = capacity; i > 0; --i) free_.push_back(static_cast<std::uint32_t>(i - 1));
    heap_.reserve(capacity);
  }

  /// False if the frame is too long or no slot is free.
  bool push(std::span<const std::byte> frame, std::size_t direction, Timestamp arrived,
            Timestamp leaves, Fate fate) {
    if (free_.empty() || frame.size() > longest_frame) return false;
    const auto slot = free_.back();
    free_.pop_back();
    Flight& flight = slots_[slot];
    std::ranges::copy(frame, flight.storage.begin());
    flight.captured = frame.size();
    flight.direction = direction;
    flight.arrived = arrived;
    flight.leaves = leaves;
    flight.fate = fate;
    heap_.push_back({leaves, sequence_++, slot});
    std::ranges::push_heap(heap_, later);
    return true;
  }

  bool empty() const { return heap_.empty(); }
  Timestamp next_time() const { return heap_.front().leaves; }
  const Flight& next() const { return slots_[heap_.front().slot]; }

  void pop() {
    std::ranges::pop_heap(heap_, later);
    free_.push_back(heap_.back().slot);
    heap_.pop_back();
  }

 private:
  struct Entry {
    Timestamp leaves;
    std::uint64_t sequence;
    std::uint32_t slot;
  };
  static bool later(const Entry& a, const Entry& b) {
    return a.leaves != b.leaves ? a.leaves > b.leaves : a.sequence > b.sequence;
  }

  std::vector<Flight> slots_;
  std::vector<std::uint32_t> free_;
  std::vector<Entry> heap_;
  std::uint64_t sequence_ = 0;
};

}  // namespace sojourn::testbed
