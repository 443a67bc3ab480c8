#pragma once
// Which delays of a store a request is about, and over which time.

#include <optional>
#include <string>

#include "core/address.h"
#include "core/kind.h"
#include "core/result.h"
#include "core/time.h"
#include "estimate/distribution/distribution.h"
#include "store/store.h"
#include "web/api/query_string.h"

namespace sojourn::web {

/// The name of a measure, "oneway" or a kind of round trip, and back.
std::string measure_name(std::uint8_t measure);
std::optional<std::uint8_t> measure_named(std::string_view name);

/// One subject, one kind and leg; all its traffic or that of a prefix.
struct Selector {
  std::string subject;
  std::uint8_t measure = 0;
  std::optional<std::uint8_t> leg;  ///< nullopt: that with the most weight
  std::optional<Prefix> prefix;

  /// `suffix` is appended to the names of the parameters: "_b" for the second of two.
  static Result<Selector> parse(const QueryString& query, const std::string& suffix = "");
  bool takes(const CellSeries& series) const;
};

struct Stretch {
  Timestamp from{}, to{};

  static constexpr Duration longest = std::chrono::hours{24 * 366 * 5};
  /// from_s and to_s, in seconds since 1970; by default the last hour before `now`.
  static Result<Stretch> parse(const QueryString& query, Timestamp now,
                               const std::string& suffix = "");
};

/// All of them together, with the chosen leg.
struct SelectedDelays {
  std::optional<std::uint8_t> leg;
  Distribution delays;
};
Result<SelectedDelays> delays_of(Store& store, const Selector& selector, const Stretch& stretch);

/// A parameter as a whole number between two; `otherwise` if it is missing.
Result<std::int64_t> whole_number(const QueryString& query, std::string_view name,
                                  std::int64_t least, std::int64_t most, std::int64_t otherwise);

inline std::int64_t seconds_since_1970(Timestamp time) {
  return to_ns(slice_of(time, std::chrono::seconds{1})) / 1'000'000'000;
}

}  // namespace sojourn::web
