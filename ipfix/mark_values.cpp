#include "ipfix/mark_values.h"

#include <algorithm>
#include <limits>

#include "ipfix/ntp_time.h"
#include "ipfix/record_plan.h"
#include "oneway/marking/marking_faults.h"
#include "oneway/marking/marking_filter.h"
#include "oneway/marking/marking_interval.h"
#include "oneway/marking/marking_rules.h"
#include "store/marks/marking_duties.h"

namespace sojourn::ipfix {
namespace {

constexpr std::uint32_t most_pulses = 100'000'000;
constexpr std::uint64_t day_ns = 86'400'000'000'000;
constexpr std::size_t most_text = 254;  // as short as a record of our own may have it

std::uint32_t narrow(std::uint64_t value) {
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>(value, std::numeric_limits<std::uint32_t>::max()));
}

}  // namespace

std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void MarkValues::take(const Field& field, std::span<const std::byte> bytes,
                      std::uint32_t enterprise) {
  if (field.enterprise == enterprise) return take_own(OwnElement{field.element}, bytes);
  if (field.enterprise != iana || bytes.size() > 8) return;
  const std::uint64_t value = load_unsigned(bytes.data(), bytes.size());
  const Element element{field.element};
  if (element == Element::flow_start_nanoseconds) count_.start = from_ntp(value);
  if (element == Element::observation_time_nanoseconds) count_.read_at = from_ntp(value);
  if (element == Element::packet_delta_count) count_.packets = value;
}

void MarkValues::take_own(OwnElement element, std::span<const std::byte> bytes) {
  using enum OwnElement;
  if (element == mark_doubt) count_.doubt = text_of(bytes);
  if (element == mark_flow) count_.flow = text_of(bytes);
  if (bytes.size() > 8) return;
  const std::uint64_t value = load_unsigned(bytes.data(), bytes.size());
  switch (element) {
    case mark_interval_number:
      count_.interval = static_cast<std::int64_t>(value);
      break;
    case mark_pulses:
      count_.pulses = narrow(value);
      break;
    case mark_pulse_time:
      count_.pulse_time = from_ntp(value);
      break;
    case mark_late:
      late_ns_ = value;
      count_.late = Duration{static_cast<std::int64_t>(std::min(value, day_ns))};
      break;
    case mark_early:
      early_ns_ = value;
      count_.early = Duration{static_cast<std::int64_t>(std::min(value, day_ns))};
      break;
    case mark_middle:
      count_.middle = value;
      break;
    case mark_contrary:
      count_.contrary = value;
      break;
    case mark_other:
      count_.other = value;
      break;
    case mark_marked_before:
      count_.marked_before = value;
      break;
    case mark_repeats:
      count_.repeats = narrow(value);
      break;
    default:
      break;
  }
}

bool MarkValues::possible() const {
  for (const std::uint64_t packets :
       {count_.packets, count_.middle, count_.contrary, count_.other, count_.marked_before})
    if (packets > most_packets) return false;
  return count_.pulses <= most_pulses && count_.repeats <= most_pulses && late_ns_ <= day_ns &&
         early_ns_ <= day_ns &&
         (count_.doubt.empty() ||
          std::ranges::find(marking_fault_names, count_.doubt) != marking_fault_names.end()) &&
         count_.flow.size() <= most_text &&
         (count_.flow.empty() || MarkingFilter::parse(count_.flow));
}

bool is_possible(const MarkingRun& run) {
  static_assert(MarkingRun::shortest == MarkingInterval::shortest &&
                MarkingRun::longest == MarkingInterval::longest);
  return run.exponent >= MarkingRun::shortest && run.exponent <= MarkingRun::longest &&
         is_marking_duty(run.duty) && marking_method_named(run.method) &&
         run.carrier.size() <= most_text && MarkingCarrier::parse(run.carrier);
}

bool is_of(const MarkCount& count, const MarkingRun& run) {
  // 2^33 s is the year 2242: beyond it no element can tell the time.
  const std::int64_t farthest = std::int64_t{1} << (33 - run.exponent);
  return count.interval >= -farthest && count.interval <= farthest &&
         MarkingInterval{run.exponent}.start_of(count.interval) == count.start;
}

}  // namespace sojourn::ipfix
