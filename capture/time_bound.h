#pragma once
// A point in time as people write it: a date, a time of day, or an offset from the start.

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/result.h"
#include "core/time.h"

namespace sojourn {

/// One of
///
///     90s, 5min                      this long after the first packet
///     2026-11-15T02:33:11.5Z         a time with its zone: Z, +01:00 or -0500
///     2026-11-15 02:33:11            the same in local time
///     2026-11-15                     the start of that day, in local time
///     02:33, 02:33:11                that time on the day on which the capture begins, local
///
/// Local time is that of the environment (TZ), with its summer time.
class TimeBound {
 public:
  static Result<TimeBound> parse(std::string_view text);

  /// The time meant, in a capture whose first packet passed at `first`.
  Timestamp resolve(Timestamp first) const;
  /// A time of day occurs every day: the one after this.
  bool is_time_of_day() const { return how_ == How::time_of_day; }

 private:
  enum class How : std::uint8_t { after_start, absolute, local, time_of_day };

  /// Calendar and clock time, without a zone.
  struct Fields {
    int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0;
    std::int64_t ns = 0;
  };
  struct Reader;
  static Timestamp local_time(const Fields& fields);

  How how_ = How::absolute;
  Timestamp time_;
  Duration after_{};
  Fields fields_;
};

/// From the first of these times up to, not including, the second.
struct TimeRange {
  std::optional<TimeBound> from, to;

  struct Resolved {
    Timestamp from = Timestamp::min(), to = Timestamp::max();
    bool has(Timestamp time) const { return time >= from && time < to; }
  };
  /// If `to` is a time of day not after the start, it is on the next day.
  Resolved resolve(Timestamp first) const;
};

}  // namespace sojourn
