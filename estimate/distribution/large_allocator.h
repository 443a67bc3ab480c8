#pragma once
// Memory for vectors of plain numbers that may grow large.

#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <new>
#include <type_traits>
#include <utility>

#include "core/huge_array.h"

namespace sojourn {

/// Asks for 2 MiB pages from that size on: one page fault instead of 512.  Elements without an
/// initial value stay uninitialised, so that resize() writes nothing.
template <class T>
  requires std::is_trivially_copyable_v<T>
struct LargeAllocator {
  using value_type = T;

  LargeAllocator() = default;
  template <class Other>
  explicit(false) LargeAllocator(const LargeAllocator<Other>&) {}

  T* allocate(std::size_t count) {
    const std::size_t bytes = count * sizeof(T);
    if (bytes < huge_page) return static_cast<T*>(::operator new(bytes));
    const std::size_t whole = (bytes + huge_page - 1) / huge_page * huge_page;
    void* const memory = std::aligned_alloc(huge_page, whole);
    if (memory == nullptr) out_of_memory();
    // Advice only: if the kernel ignores it, the pages are small.
    ::madvise(memory, whole, MADV_HUGEPAGE);
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t count) {
    if (count * sizeof(T) < huge_page)
      ::operator delete(memory);
    else
      std::free(memory);
  }

  template <class U>
  void construct(U* place) {
    ::new (static_cast<void*>(place)) U;
  }
  template <class U, class... Arguments>
  void construct(U* place, Arguments&&... arguments) {
    ::new (static_cast<void*>(place)) U(std::forward<Arguments>(arguments)...);
  }

  friend bool operator==(const LargeAllocator&, const LargeAllocator&) { return true; }
};

}  // namespace sojourn
