#pragma once
// Remembers repeated queries and echo requests for longer than they wait in a table.

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/huge_array.h"
#include "core/time.h"

namespace sojourn {

/// Remembers the keys of unanswered requests in fixed memory.
///
/// A TCP connection knows what it has sent, but DNS, NTP and ICMP have no connection.  A table
/// forgets a request after `--expire`, a fixed-memory table even earlier or at once.  The next copy
/// would then look like the first, against Karn's rule.  Here a key is remembered for two minutes,
/// the lifetime of a packet (RFC 9293 section 3.4.1), in a line of eight.  A ninth key replaces the
/// oldest of its line, whose next copy is then taken for the first.
class AskedBefore {
 public:
  static constexpr Duration lifetime = std::chrono::minutes{2};

  /// With less memory than a line it remembers nothing.
  explicit AskedBefore(std::size_t memory_bytes) : lines_(memory_bytes / sizeof(Line)) {}

  /// Whether the key was requested before and not answered.  Also records this request.
  bool ask(std::uint64_t key, Timestamp now) {
    if (lines_.size() == 0) return false;
    Line& line = line_of(key);
    const std::uint64_t tag = tag_of(key), now_s = seconds(now);
    std::uint64_t* place = &line.entries[0];
    for (std::uint64_t& entry : line.entries) {
      if (entry >> second_bits == tag) {
        const bool asked = age(entry, now_s) <= lifetime_s;
        entry = tag << second_bits | now_s;
        return asked;
      }
      if (rank(entry, now_s) > rank(*place, now_s)) place = &entry;
    }
    *place = tag << second_bits | now_s;
    return false;
  }

  /// The next request with this key counts as the first.
  void answer(std::uint64_t key) {
    if (lines_.size() == 0) return;
    for (std::uint64_t& entry : line_of(key).entries)
      if (entry >> second_bits == tag_of(key)) entry = 0;
  }

  std::size_t memory_bytes() const { return lines_.memory_bytes(); }

 private:
  /// 48 bits of the key, and 16 bits of the second of its last request; 0 is free.
  static constexpr int second_bits = 16;
  static constexpr std::uint64_t second_mask = 0xffff;
  static constexpr std::uint64_t lifetime_s =
      static_cast<std::uint64_t>(lifetime.count()) / 1'000'000'000;

  struct alignas(64) Line {
    std::array<std::uint64_t, 8> entries;
  };

  static std::uint64_t tag_of(std::uint64_t key) { return (key & 0xffff'ffff'ffffu) | 1u; }
  static std::uint64_t seconds(Timestamp time) {
    return static_cast<std::uint64_t>(to_ns(time)) / 1'000'000'000 & second_mask;
  }
  static std::uint64_t age(std::uint64_t entry, std::uint64_t now_s) {
    return (now_s - entry) & second_mask;
  }
  /// A free place first, otherwise the oldest.
  static std::uint64_t rank(std::uint64_t entry, std::uint64_t now_s) {
    return entry == 0 ? second_mask + 1 : age(entry, now_s);
  }
  Line& line_of(std::uint64_t key) { return lines_[(key >> 32) * lines_.size() >> 32]; }

  HugeArray<Line> lines_;
};

}  // namespace sojourn
