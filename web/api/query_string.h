#pragma once
// The query part of an address: "kind=tcp&from_s=0".

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/result.h"

namespace sojourn::web {

/// Names and values in order, percent-decoded.
class QueryString {
 public:
  static constexpr std::size_t most_parameters = 32;

  /// Refused: invalid escapes, control characters, duplicate names, too many of them.
  static Result<QueryString> parse(std::string_view text);
  static Result<QueryString> from_pairs(std::vector<std::pair<std::string, std::string>> pairs);

  std::optional<std::string_view> find(std::string_view name) const;
  /// The first name that is not in `known`; nullopt if all are.
  std::optional<std::string_view> stranger(std::initializer_list<std::string_view> known) const;
  /// Equal questions have equal text, whatever the order of their parameters.
  std::string canonical() const;

 private:
  std::vector<std::pair<std::string, std::string>> pairs_;
};

/// "%2F" to "/"; nullopt for an invalid escape.
std::optional<std::string> percent_decoded(std::string_view text);

}  // namespace sojourn::web
