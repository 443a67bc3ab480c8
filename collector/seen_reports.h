#pragma once
// Which messages of a point were taken: the same one twice is counted once.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sojourn {

/// Numbers from 1 on, nearly in order, as ranges.  At most `most_ranges` are kept: then the lowest
/// gap is closed, and what still comes out of it counts as repeated.
class SeenReports {
 public:
  static constexpr std::size_t most_ranges = 1024;

  /// "1-500,502-900"; what cannot be read is left out.
  static SeenReports parse(std::string_view text);
  std::string to_string() const;

  /// False if it was there before.
  bool take(std::uint64_t number);

 private:
  struct Range {
    std::uint64_t first, last;
  };
  std::vector<Range> ranges_;  ///< ascending, with gaps between
};

}  // namespace sojourn
