#pragma once
// BOB, the hash function that PSAMP requires for packet selection.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace sojourn {

/// RFC 5475 appendix A.2, after B. Jenkins 1997.  The RFC's `unsigned long` must have 32 bits: with
/// 64, the shifts keep other bits and every label differs.
class BobHash {
 public:
  static constexpr std::uint32_t of(std::span<const std::byte> bytes, std::uint32_t init) {
    BobHash hash{init};
    const std::size_t length = bytes.size();
    while (bytes.size() >= 12) {
      hash.a_ += word(bytes, 0);
      hash.b_ += word(bytes, 4);
      hash.c_ += word(bytes, 8);
      hash.mix();
      bytes = bytes.subspan(12);
    }
    // The lowest byte of c is reserved for the length, so the last word of a short rest is shifted
    // up by one byte.
    hash.c_ += static_cast<std::uint32_t>(length);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      const auto byte = std::to_integer<std::uint32_t>(bytes[i]);
      if (i < 4)
        hash.a_ += byte << (8 * i);
      else if (i < 8)
        hash.b_ += byte << (8 * (i - 4));
      else
        hash.c_ += byte << (8 * (i - 7));
    }
    hash.mix();
    return hash.c_;
  }

 private:
  explicit constexpr BobHash(std::uint32_t init) : c_(init) {}

  static constexpr std::uint32_t word(std::span<const std::byte> bytes, std::size_t at) {
    std::uint32_t value = 0;  // least significant byte first, on any machine
    for (std::size_t i = 0; i < 4; ++i)
      value |= std::to_integer<std::uint32_t>(bytes[at + i]) << (8 * i);
    return value;
  }

  constexpr void mix() {
    a_ -= b_, a_ -= c_, a_ ^= c_ >> 13;
    b_ -= c_, b_ -= a_, b_ ^= a_ << 8;
    c_ -= a_, c_ -= b_, c_ ^= b_ >> 13;
    a_ -= b_, a_ -= c_, a_ ^= c_ >> 12;
    b_ -= c_, b_ -= a_, b_ ^= a_ << 16;
    c_ -= a_, c_ -= b_, c_ ^= b_ >> 5;
    a_ -= b_, a_ -= c_, a_ ^= c_ >> 3;
    b_ -= c_, b_ -= a_, b_ ^= a_ << 10;
    c_ -= a_, c_ -= b_, c_ ^= b_ >> 15;
  }

  std::uint32_t a_ = 0x9e3779b9, b_ = 0x9e3779b9, c_;
};

}  // namespace sojourn
