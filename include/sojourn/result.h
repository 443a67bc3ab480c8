#pragma once
// A value, or one line that says why there is none.  The library throws nothing.

#include <sojourn/version.h>

#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace sojourn::v0 {

struct Error {
  std::string message;
};

/// Like std::expected, for compilers without it.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : content_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : content_(std::in_place_index<1>, std::move(error)) {}

  explicit operator bool() const { return content_.index() == 0; }
  /// Only if there is a value.
  T& operator*() { return *std::get_if<0>(&content_); }
  const T& operator*() const { return *std::get_if<0>(&content_); }
  T* operator->() { return std::get_if<0>(&content_); }
  const T* operator->() const { return std::get_if<0>(&content_); }
  /// Only if there is none.
  const std::string& error() const { return std::get_if<1>(&content_)->message; }

 private:
  std::variant<T, Error> content_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}

  explicit operator bool() const { return !error_.has_value(); }
  const std::string& error() const { return error_->message; }

 private:
  std::optional<Error> error_;
};

}  // namespace sojourn::v0
