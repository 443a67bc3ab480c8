#pragma once
// Texts that samples are grouped by, each under a small number: names of interfaces and of tunnels,
// names that DNS was asked for.

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace sojourn {

/// At most `most` texts of at most 255 bytes; what finds no room shares the number most + 1.  So
/// whatever traffic says, memory is bounded.  Any thread may ask: a number means the same to all.
class NameTable {
 public:
  static constexpr std::uint32_t none = 0;  ///< no text at all
  static constexpr std::uint32_t usual_most = std::uint32_t{1} << 16;
  static constexpr std::size_t longest = 255;

  explicit NameTable(std::uint32_t most = usual_most) : most_(most) {}

  /// The text's number, a new one if it has none yet.
  std::uint32_t number_of(std::string_view text);

  /// Made fit to be shown, its middle left out if it is long; "others" of those without room, empty
  /// of none.
  std::string text_of(std::uint32_t number) const;

  std::size_t size() const;
  std::uint64_t without_room() const;  ///< how often a text found none

 private:
  mutable std::mutex mutex_;
  std::unordered_map<std::string, std::uint32_t> numbers_;
  std::vector<const std::string*> texts_;  ///< keys of `numbers_`, which stay where they are
  std::uint32_t most_;
  std::uint64_t without_room_ = 0;
};

}  // namespace sojourn
