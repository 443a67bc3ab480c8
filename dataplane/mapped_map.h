#pragma once
// Memory that a program in the kernel and this process share.

#include <sys/mman.h>

#include <cstddef>
#include <utility>

namespace sojourn {

/// Memory of a map that this process sees as well.
class MappedMap {
 public:
  MappedMap() = default;
  MappedMap(int descriptor, std::size_t bytes) : bytes_(bytes) {
    void* const at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    if (at != MAP_FAILED) at_ = at;
  }
  MappedMap(MappedMap&& other) noexcept
      : at_(std::exchange(other.at_, nullptr)), bytes_(other.bytes_) {}
  MappedMap& operator=(MappedMap&& other) noexcept {
    std::swap(at_, other.at_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~MappedMap() {
    if (at_) ::munmap(at_, bytes_);
  }
  void* get() const { return at_; }

 private:
  void* at_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace sojourn
