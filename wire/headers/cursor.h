#pragma once
// Reads a packet front to back.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "wire/headers/endian.h"

namespace sojourn {

/// The rest of a packet: the bytes that were captured, and how many bytes were on the wire.
/// Lengths come from the wire; what can be read is limited by the capture.
///
/// A read past the captured bytes gives nullptr (or false) and moves nothing.  Headers are read in
/// place: they consist of bytes and need no alignment.  With copies of odd sizes through
/// std::optional every field waited for the copy, and IPv6 took twice as long.
class Cursor {
 public:
  Cursor() = default;
  explicit Cursor(std::span<const std::byte> captured) : Cursor(captured, captured.size()) {}
  Cursor(std::span<const std::byte> captured, std::size_t length)
      : captured_(captured), length_(std::max(length, captured.size())) {}

  template <WireStruct Header>
  const Header* peek(std::size_t offset = 0) const {
    if (captured_.size() < offset || captured_.size() - offset < sizeof(Header)) return nullptr;
    return reinterpret_cast<const Header*>(captured_.data() + offset);
  }

  template <WireStruct Header>
  const Header* take() {
    const Header* header = peek<Header>();
    if (header) advance(sizeof(Header));
    return header;
  }

  [[nodiscard]] bool skip(std::size_t count) {
    if (captured_.size() < count) return false;
    advance(count);
    return true;
  }

  /// Applies an inner length field.  Bytes beyond it are padding; if it exceeds the outer length,
  /// the rest was cut off before the capture.
  void set_length(std::size_t length) {
    length_ = length;
    if (captured_.size() > length) captured_ = captured_.first(length);
  }

  std::span<const std::byte> captured() const { return captured_; }
  const std::byte* data() const { return captured_.data(); }
  std::size_t length() const { return length_; }  ///< bytes ahead on the wire, captured or not

 private:
  void advance(std::size_t count) {
    captured_ = captured_.subspan(count);
    length_ -= count;
  }

  std::span<const std::byte> captured_;
  std::size_t length_ = 0;
};

}  // namespace sojourn
