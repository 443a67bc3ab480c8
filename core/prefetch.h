#pragma once
// Asking for memory before it is needed.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace sojourn {

/// Into the first-level cache.  g++ takes a function that only prefetches for one without side
/// effects.  Unless it inlines the function early, it drops the calls; the empty `asm` is a side
/// effect that it must keep.  (Without it ConnectionTable lost all of its prefetches once it had
/// two ways to find a record, and a run took 1.5 times as long.)  tests/architecture checks that
/// all code uses these two functions.
[[gnu::always_inline]] inline void prefetch_to_read(const void* address) {
  __builtin_prefetch(address, 0);
  asm volatile("");
}
[[gnu::always_inline]] inline void prefetch_to_write(const void* address) {
  __builtin_prefetch(address, 1);
  asm volatile("");
}

/// For reading, into the first-level cache (near) or the second (far).  Only a hint: the
/// address may be unmapped, so it is computed as a number.
[[gnu::always_inline]] inline void prefetch_near(const void* from, std::ptrdiff_t distance) {
  prefetch_to_read(reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(from) +
                                                 static_cast<std::uintptr_t>(distance)));
}
[[gnu::always_inline]] inline void prefetch_far(const void* from, std::ptrdiff_t distance) {
  const auto address =
      reinterpret_cast<std::uintptr_t>(from) + static_cast<std::uintptr_t>(distance);
  __builtin_prefetch(reinterpret_cast<const void*>(address), 0, 2);
  asm volatile("");
}

/// Calls use(item, its number) for each item, and fetch(item) some items earlier.  Not for all at
/// once: a core waits for about a dozen cache lines at a time, and further prefetches stall it.
template <class Item, class Fetch, class Use>
[[gnu::always_inline]] inline void for_each_fetched(std::span<const Item> items, Fetch fetch,
                                                    Use use) {
  constexpr std::size_t ahead = 16;
  for (const Item& item : items.first(std::min(ahead, items.size()))) fetch(item);
  const Item* soon = items.data() + std::min(ahead, items.size());
  const Item* const end = items.data() + items.size();
  std::uint32_t number = 0;
  for (const Item& item : items) {
    if (soon != end) fetch(*soon++);
    use(item, number++);
  }
}

}  // namespace sojourn
