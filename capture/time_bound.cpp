#include "capture/time_bound.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <ctime>

#include "core/units.h"

namespace sojourn {

/// Removes numbers and signs from the front of a text.  A mismatch sets `ok` to false.
struct TimeBound::Reader {
  std::string_view rest;
  bool ok = true;

  /// Exactly this many digits, up to `most`.
  int number(std::size_t digits, int least, int most) {
    int value = 0;
    const auto text = rest.substr(0, digits);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    ok = ok && text.size() == digits && error == std::errc{} && end == text.data() + digits &&
         text.front() >= '0' && value >= least && value <= most;
    rest.remove_prefix(text.size());
    return value;
  }
  void sign(char expected) {
    ok = ok && rest.starts_with(expected);
    if (ok) rest.remove_prefix(1);
  }
  /// ".123456789" with one to nine digits, if there is one.
  std::int64_t fraction() {
    if (!rest.starts_with('.')) return 0;
    rest.remove_prefix(1);
    std::int64_t ns = 0;
    std::size_t digits = 0;
    for (; digits < rest.size() && rest[digits] >= '0' && rest[digits] <= '9'; ++digits)
      if (digits < 9) ns = ns * 10 + (rest[digits] - '0');
    ok = ok && digits >= 1 && digits <= 9;
    for (std::size_t i = digits; i < 9; ++i) ns *= 10;
    rest.remove_prefix(digits);
    return ns;
  }
  void clock(Fields& fields) {
    fields.hour = number(2, 0, 23);
    sign(':');
    fields.minute = number(2, 0, 59);
    if (!rest.starts_with(':')) return;
    sign(':');
    fields.second = number(2, 0, 60);
    fields.ns = fraction();
  }
  /// How far the zone is ahead of UTC; nullopt without a zone.
  std::optional<Duration> zone() {
    if (rest == "Z" || rest == "z") {
      rest = {};
      return Duration{0};
    }
    if (!rest.starts_with('+') && !rest.starts_with('-')) return std::nullopt;
    const int side = rest.starts_with('+') ? 1 : -1;
    rest.remove_prefix(1);
    const int hours = number(2, 0, 23);
    if (rest.starts_with(':')) sign(':');
    const int minutes = number(2, 0, 59);
    return side * (std::chrono::hours{hours} + std::chrono::minutes{minutes});
  }
};

namespace {

Timestamp in_utc(int year, int month, int day, Duration clock) {
  using namespace std::chrono;
  const year_month_day date{std::chrono::year{year},
                            std::chrono::month(static_cast<unsigned>(month)),
                            std::chrono::day(static_cast<unsigned>(day))};
  return Timestamp{duration_cast<Duration>(sys_days{date}.time_since_epoch()) + clock};
}

bool is_date(int year, int month, int day) {
  using namespace std::chrono;
  return year_month_day{std::chrono::year{year}, std::chrono::month(static_cast<unsigned>(month)),
                        std::chrono::day(static_cast<unsigned>(day))}
      .ok();
}

}  // namespace

Timestamp TimeBound::local_time(const Fields& fields) {
  std::tm tm{};
  tm.tm_year = fields.year - 1900;
  tm.tm_mon = fields.month - 1;
  tm.tm_mday = fields.day;
  tm.tm_hour = fields.hour;
  tm.tm_min = fields.minute;
  tm.tm_sec = fields.second;
  tm.tm_isdst = -1;
  return timestamp_from_ns(std::mktime(&tm) * std::int64_t{1'000'000'000} + fields.ns);
}

Result<TimeBound> TimeBound::parse(std::string_view text) {
  TimeBound bound;
  if (const auto after = parse_duration(text)) {
    bound.how_ = How::after_start;
    bound.after_ = *after;
    return bound;
  }
  const auto wrong =
      failure(fmt::format("'{}' is not a time: expected 90s after the start, 2026-11-15T02:33:11Z, "
                          "2026-11-15 02:33:11 or 02:33 in local time",
                          text));
  Reader reader{text};
  if (text.size() > 2 && text[2] == ':') {
    reader.clock(bound.fields_);
    bound.how_ = How::time_of_day;
    if (!reader.ok || !reader.rest.empty()) return wrong;
    return bound;
  }
  Fields& fields = bound.fields_;
  // 64-bit nanoseconds reach from 1677 to 2262.
  fields.year = reader.number(4, 1678, 2261);
  reader.sign('-');
  fields.month = reader.number(2, 1, 12);
  reader.sign('-');
  fields.day = reader.number(2, 1, 31);
  if (!reader.ok || !is_date(fields.year, fields.month, fields.day)) return wrong;
  bound.how_ = How::local;
  if (reader.rest.empty()) return bound;
  if (reader.rest.front() != 'T' && reader.rest.front() != ' ') return wrong;
  reader.rest.remove_prefix(1);
  reader.clock(fields);
  const auto zone = reader.zone();
  if (!reader.ok || !reader.rest.empty()) return wrong;
  if (!zone) return bound;
  bound.how_ = How::absolute;
  bound.time_ = in_utc(fields.year, fields.month, fields.day,
                       std::chrono::hours{fields.hour} + std::chrono::minutes{fields.minute} +
                           std::chrono::seconds{fields.second} + Duration{fields.ns} - *zone);
  return bound;
}

Timestamp TimeBound::resolve(Timestamp first) const {
  switch (how_) {
    case How::absolute:
      return time_;
    case How::after_start: {
      std::int64_t ns = 0;
      return __builtin_add_overflow(to_ns(first), after_.count(), &ns) ? Timestamp::max()
                                                                       : timestamp_from_ns(ns);
    }
    case How::local:
      return local_time(fields_);
    case How::time_of_day:
      break;
  }
  const std::time_t seconds =
      std::chrono::floor<std::chrono::seconds>(first).time_since_epoch().count();
  std::tm day{};
  localtime_r(&seconds, &day);
  Fields fields = fields_;
  fields.year = day.tm_year + 1900;
  fields.month = day.tm_mon + 1;
  fields.day = day.tm_mday;
  return local_time(fields);
}

TimeRange::Resolved TimeRange::resolve(Timestamp first) const {
  Resolved resolved;
  if (from) resolved.from = from->resolve(first);
  if (!to) return resolved;
  resolved.to = to->resolve(first);
  if (to->is_time_of_day() && resolved.to <= std::max(first, resolved.from))
    resolved.to = to->resolve(first + std::chrono::days{1});
  return resolved;
}

}  // namespace sojourn
