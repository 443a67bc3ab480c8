#pragma once
// What follows the question mark of an address: "kind=tcp&from_s=0".

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/result.h"

namespace sojourn::web {

/// Names and values in their order, percent-decoded.
class QueryString {
 public:
  static constexpr std::size_t most_parameters = 32;

  /// Refused: broken escapes, control characters, a name twice, too many of them.
  static Result<QueryString> parse(std::string_view text);
  static Result<QueryString> from_pairs(std::vector<std::pair<std::string, std::string>> pairs);

  std::optional<std::string_view> find(std::string_view name) const;
  /// The first name that is none of `known`; nullopt if there is none.
  std::optional<std::string_view> stranger(std::initializer_list<std::string_view> known) const;
  /// The same question has the same text, whatever the order of its parameters.
  std::string canonical() const;

 private:
  std::vector<std::pair<std::string, std::string>> pairs_;
};

/// "%2F" to "/"; nullopt where an escape is broken.
std::optional<std::string> percent_decoded(std::string_view text);

}  // namespace sojourn::web
