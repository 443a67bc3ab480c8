#pragma once
// By what delays are grouped in cells and in questions to a store, as one number: the length of an
// IPv4 prefix (IPv6: twice it), or one of those below.

#include <cstddef>
#include <optional>
#include <string_view>

namespace sojourn {

struct GroupChoice {
  static constexpr std::size_t longest = 32;
  static constexpr std::size_t host = 64;  ///< whole addresses: twice it is all of IPv6
  static constexpr std::size_t port = 65;  ///< the server's
  static constexpr std::size_t flow = 66;

  /// Of "host", "port" or "flow".
  static std::optional<std::size_t> named(std::string_view name);
  /// Of a prefix's length from 1 to `longest`: "24".
  static std::optional<std::size_t> prefixes(std::string_view length);
};

}  // namespace sojourn
