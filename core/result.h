#pragma once
// Operations on the outside world can fail.  Result<T> holds a value or one line that says why not.

#include <expected>
#include <string>
#include <utility>

namespace sojourn {

/// One line for the user.  Each level puts its context in front: "cannot open a.pcap: No such
/// file".
struct [[nodiscard]] Error {
  std::string message;

  Error while_doing(const std::string& what) const { return Error{what + ": " + message}; }
};

template <class T>
using Result = std::expected<T, Error>;

inline std::unexpected<Error> failure(std::string message) {
  return std::unexpected(Error{std::move(message)});
}

}  // namespace sojourn
