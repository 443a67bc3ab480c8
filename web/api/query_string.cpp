#include "web/api/query_string.h"

#include <algorithm>

namespace sojourn::web {
namespace {

int hex_value(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
  if (digit >= 'A' && digit <= 'F') return digit - 'A' + 10;
  return -1;
}

bool has_control_character(std::string_view text) {
  return std::ranges::any_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x20; });
}

}  // namespace

std::optional<std::string> percent_decoded(std::string_view text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded.push_back(text[i] == '+' ? ' ' : text[i]);
      continue;
    }
    if (i + 2 >= text.size()) return std::nullopt;
    const int high = hex_value(text[i + 1]), low = hex_value(text[i + 2]);
    if (high < 0 || low < 0) return std::nullopt;
    decoded.push_back(static_cast<char>(high * 16 + low));
    i += 2;
  }
  return decoded;
}

Result<QueryString> QueryString::parse(std::string_view text) {
  std::vector<std::pair<std::string, std::string>> pairs;
  while (!text.empty()) {
    const auto part = text.substr(0, text.find('&'));
    text.remove_prefix(std::min(text.size(), part.size() + 1));
    if (part.empty()) continue;
    const auto equals = part.find('=');
    auto name = percent_decoded(part.substr(0, equals));
    auto value = percent_decoded(equals == std::string_view::npos ? std::string_view{}
                                                                  : part.substr(equals + 1));
    if (!name || !value) return failure("a % must be followed by two hexadecimal digits");
    pairs.emplace_back(std::move(*name), std::move(*value));
    if (pairs.size() > most_parameters) break;
  }
  return from_pairs(std::move(pairs));
}

Result<QueryString> QueryString::from_pairs(
    std::vector<std::pair<std::string, std::string>> pairs) {
  if (pairs.size() > most_parameters) return failure("too many parameters");
  QueryString query;
  for (auto& [name, value] : pairs) {
    if (has_control_character(name) || has_control_character(value))
      return failure("control characters are not allowed in parameters");
    if (query.find(name)) return failure("parameter '" + name + "' is given twice");
    query.pairs_.emplace_back(std::move(name), std::move(value));
  }
  return query;
}

std::optional<std::string_view> QueryString::find(std::string_view name) const {
  for (const auto& [known, value] : pairs_)
    if (known == name) return value;
  return std::nullopt;
}

std::optional<std::string_view> QueryString::stranger(
    std::initializer_list<std::string_view> known) const {
  for (const auto& [name, value] : pairs_)
    if (std::ranges::find(known, name) == known.end()) return name;
  return std::nullopt;
}

std::string QueryString::canonical() const {
  auto sorted = pairs_;
  std::ranges::sort(sorted);
  std::string text;
  // A control character is in neither, so it can separate them.
  for (const auto& [name, value] : sorted) text += name + '\x1e' + value + '\x1f';
  return text;
}

}  // namespace sojourn::web
