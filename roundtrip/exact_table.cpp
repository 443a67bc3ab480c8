#include "roundtrip/exact_table.h"

#include <algorithm>
#include <utility>

namespace sojourn {
namespace {

std::size_t fullest(std::size_t slots) { return slots / 5 * 3; }

}  // namespace

ExactTable::ExactTable(const Options& options)
    : slots_(std::bit_ceil(std::max<std::size_t>(options.initial_slots, 16))),
      shift_(64 - std::countr_zero(slots_.size())),
      limit_(fullest(slots_.size())),
      peak_bytes_(slots_.memory_bytes()),
      expire_ns_(to_ns(options.expire)),
      long_lived_ns_(to_ns(options.expire_long_lived)) {}

void ExactTable::sweep(std::int64_t now_ns) {
  const auto alive = static_cast<std::size_t>(std::ranges::count_if(
      slots_, [&](const Slot& slot) { return slot.tag != 0 && !expired(slot, now_ns); }));
  const std::size_t size = alive > slots_.size() / 3 ? slots_.size() * 2 : slots_.size();

  const HugeArray<Slot> old = std::exchange(slots_, HugeArray<Slot>{size});
  peak_bytes_ = std::max(peak_bytes_, old.memory_bytes() + slots_.memory_bytes());
  shift_ = 64 - std::countr_zero(size);
  limit_ = fullest(size);
  used_ = 0;
  for (const Slot& slot : old) {
    if (slot.tag == 0 || expired(slot, now_ns)) continue;
    std::size_t index = home(slot.tag);
    while (slots_[index].tag != 0) index = after(index);
    slots_[index] = slot;
    ++used_;
  }
}

}  // namespace sojourn
