#include "capture/files/mapped_file.h"

#include <sys/mman.h>

#include <algorithm>

namespace sojourn {

Result<Mapping> Mapping::open(const UniqueFd& file, std::size_t size) {
  void* const begin = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file.get(), 0);
  if (begin == MAP_FAILED) return failure(std::strerror(errno));
  // Advice only: if it fails, reading is merely slower.
  ::madvise(begin, size, MADV_SEQUENTIAL);
  return Mapping{static_cast<std::byte*>(begin), size};
}

Mapping::~Mapping() {
  if (begin_ != nullptr) ::munmap(begin_, size_);
}

void Mapping::populate(std::size_t offset, std::size_t size) const {
  if (offset >= size_) return;
  ::madvise(begin_ + offset, std::min(size, size_ - offset), MADV_POPULATE_READ);
}

void Mapping::release(std::size_t offset, std::size_t size) const {
  ::madvise(begin_ + offset, size, MADV_DONTNEED);
}

void MappedInput::populate_more() {
  // Starts at the reader's position, not at the end of the last step: a batch may be longer than
  // the step.
  const auto here = static_cast<std::size_t>(position()) / step * step;
  const std::size_t from = std::max(populated_, here);
  mapping_.populate(from, step);
  populated_ = from + step;
  if (here >= released_ + 2 * behind) {
    mapping_.release(released_, behind);
    released_ += behind;
  }
}

}  // namespace sojourn
