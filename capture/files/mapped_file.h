#pragma once
// A file mapped into memory, so that packets need not be copied.

#include <cstddef>
#include <span>
#include <utility>

#include "capture/files/byte_input.h"
#include "capture/unique_fd.h"
#include "core/result.h"

namespace sojourn {

/// A read-only mapping.  If another program shortens the file meanwhile, reads raise SIGBUS, which
/// the program turns into an error line.  A capture that is still being written grows, which is
/// harmless.
class Mapping {
 public:
  static Result<Mapping> open(const UniqueFd& file, std::size_t size);

  Mapping(Mapping&& other) noexcept
      : begin_(std::exchange(other.begin_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  Mapping& operator=(Mapping&&) = delete;
  ~Mapping();

  std::span<const std::byte> bytes() const { return {begin_, size_}; }

  /// Asks the kernel to map these bytes in one call instead of a fault per 64 KiB.
  void populate(std::size_t offset, std::size_t size) const;
  /// The kernel may unmap the pages of these bytes.  They stay readable at the price of a fault;
  /// without this the resident size grows with the file.
  void release(std::size_t offset, std::size_t size) const;

 private:
  Mapping(std::byte* begin, std::size_t size) : begin_(begin), size_(size) {}
  std::byte* begin_;
  std::size_t size_;
};

class MappedInput final : public MemoryInput {
 public:
  explicit MappedInput(Mapping mapping)
      : MemoryInput(mapping.bytes()), mapping_(std::move(mapping)) {}

  Window window() const override { return MemoryInput::window(); }
  void consume(std::size_t bytes) override {
    MemoryInput::consume(bytes);
    if (static_cast<std::size_t>(position()) + ahead > populated_) populate_more();
  }

 private:
  /// Steps of 1 to 16 MiB cost the same (bench/micro/capture_read).  Unmapping pages interrupts all
  /// threads of the program, so it is done rarely.
  static constexpr std::size_t ahead = 1024 * 1024;
  static constexpr std::size_t step = 4 * 1024 * 1024;
  static constexpr std::size_t behind = 16 * 1024 * 1024;

  void populate_more();

  Mapping mapping_;
  std::size_t populated_ = 0;
  std::size_t released_ = 0;
};

}  // namespace sojourn
