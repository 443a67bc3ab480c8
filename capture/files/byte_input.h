#pragma once
// The bytes of a capture as a window that moves forward, over a mapped file or over a bounded
// buffer that a stream refills.

#include <cstddef>
#include <string>

#include "capture/decoder.h"

namespace sojourn {

class ByteInput {
 public:
  virtual ~ByteInput() = default;

  enum class Refill {
    changed,      ///< the window is larger, or now the last
    idle,         ///< a pipe is silent: try again later
    interrupted,  ///< by a signal, which the caller should handle
  };

  /// The bytes that are not decoded yet.  consume() only moves its front; refill() may move the
  /// window, which invalidates its old bytes.
  virtual Window window() const = 0;
  virtual void consume(std::size_t bytes) = 0;

  /// `wanted`: the window size that the caller needs to make progress.
  virtual Refill refill(std::size_t wanted) = 0;

  virtual bool bytes_stay() const = 0;
  virtual double progress() const = 0;

  /// Why the bytes end too early, or empty.
  virtual const std::string& trouble() const = 0;
};

/// All bytes at once, in memory owned by someone else.
class MemoryInput : public ByteInput {
 public:
  explicit MemoryInput(std::span<const std::byte> bytes)
      : begin_(bytes.data()), window_{bytes.data(), bytes.data() + bytes.size(), true} {}

  Window window() const override { return window_; }
  void consume(std::size_t bytes) override { window_.begin += bytes; }
  Refill refill(std::size_t) override { return Refill::changed; }
  bool bytes_stay() const override { return true; }
  double progress() const override {
    if (window_.end == begin_) return 1;
    return static_cast<double>(window_.begin - begin_) / static_cast<double>(window_.end - begin_);
  }
  const std::string& trouble() const override { return trouble_; }

 protected:
  std::ptrdiff_t position() const { return window_.begin - begin_; }

 private:
  const std::byte* begin_;
  Window window_;
  std::string trouble_;
};

}  // namespace sojourn
