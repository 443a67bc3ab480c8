#pragma once
// A large zeroed array on huge pages where the kernel grants them.

#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

namespace sojourn {

inline constexpr std::size_t huge_page = std::size_t{2} << 20;

/// As when `new` fails: calls the program's new-handler.
[[noreturn]] inline void out_of_memory() {
  if (const auto handler = std::get_new_handler()) handler();
  std::abort();
}

/// Whether the kernel would give this much memory now.  For callers that must not end the program;
/// ask before the arrays are made.
inline bool can_reserve(std::size_t bytes) {
  if (bytes == 0) return true;
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return false;
  munmap(memory, bytes);
  return true;
}

/// Fixed-size array of zero bytes read as T, allocated directly from the kernel.  Untouched pages
/// cost nothing, and a table much larger than the TLB's reach gets 2 MiB pages if possible.
/// Running out of memory ends the program, as everywhere.
template <class T>
  requires std::is_trivially_copyable_v<T>
class HugeArray {
 public:
  HugeArray() = default;
  explicit HugeArray(std::size_t size) : size_(size) {
    if (size == 0) return;
    void* memory =
        mmap(nullptr, size * sizeof(T), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) out_of_memory();
    if (size * sizeof(T) >= huge_page) madvise(memory, size * sizeof(T), MADV_HUGEPAGE);
    data_ = static_cast<T*>(memory);
  }
  /// An array whose pages are all about to be used.  A page that is read before it is written costs
  /// two faults, and the second interrupts all other threads.
  static HugeArray in_use(std::size_t size) {
    HugeArray array{size};
    // Advice only (Linux 5.14): without it the pages are faulted in one by one.
    if (size > 0) madvise(array.data_, size * sizeof(T), MADV_POPULATE_WRITE);
    return array;
  }
  HugeArray(HugeArray&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  HugeArray& operator=(HugeArray&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~HugeArray() {
    if (data_) munmap(data_, size_ * sizeof(T));
  }

  T& operator[](std::size_t index) { return data_[index]; }
  const T& operator[](std::size_t index) const { return data_[index]; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  std::size_t size() const { return size_; }
  std::size_t memory_bytes() const { return size_ * sizeof(T); }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace sojourn
