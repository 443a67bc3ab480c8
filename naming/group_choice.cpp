#include "naming/group_choice.h"

#include "core/parse.h"

namespace sojourn {

std::optional<std::size_t> GroupChoice::named(std::string_view name) {
  if (name == "host") return host;
  if (name == "port") return port;
  if (name == "flow") return flow;
  return std::nullopt;
}

std::optional<std::size_t> GroupChoice::prefixes(std::string_view length) {
  const auto number = parse_count(length, 1, longest);
  return number ? std::optional{static_cast<std::size_t>(*number)} : std::nullopt;
}

}  // namespace sojourn
