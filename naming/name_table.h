#pragma once
// Texts that samples are grouped by, each under a small number: names of interfaces, of tunnels and
// in DNS questions.

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace sojourn {

/// At most `most` texts of at most 255 bytes; all further texts share the number most + 1.  So
/// memory is bounded whatever the traffic contains.  Thread-safe: a number means the same in all
/// threads.
class NameTable {
 public:
  static constexpr std::uint32_t none = 0;  ///< no text at all
  static constexpr std::uint32_t usual_most = std::uint32_t{1} << 16;
  static constexpr std::size_t longest = 255;

  explicit NameTable(std::uint32_t most = usual_most) : most_(most) {}

  /// The text's number, a new one if it has none yet.
  std::uint32_t number_of(std::string_view text);

  /// Made safe to print, with the middle left out if it is long.  "others" for texts beyond `most`,
  /// empty for none.
  std::string text_of(std::uint32_t number) const;

  std::size_t size() const;
  std::uint64_t without_room() const;  ///< how often a text was beyond `most`

 private:
  mutable std::mutex mutex_;
  std::unordered_map<std::string, std::uint32_t> numbers_;
  std::vector<const std::string*> texts_;  ///< keys of `numbers_`, which stay where they are
  std::uint32_t most_;
  std::uint64_t without_room_ = 0;
};

}  // namespace sojourn
