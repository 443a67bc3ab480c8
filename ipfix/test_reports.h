#pragma once
// Reports as points could send them, drawn at random.

#include <array>
#include <cstdint>
#include <random>
#include <span>

#include "collector/report/point_report.h"
#include "core/flow_tag.h"
#include "estimate/distribution/log_histogram.h"
#include "oneway/marking/marking_interval.h"

namespace sojourn::ipfix {

inline IpAddress random_address(std::mt19937_64& random, bool v6) {
  std::array<std::byte, 16> bytes;
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  return v6 ? IpAddress::v6(bytes) : IpAddress::v4(std::span{bytes}.first<4>());
}

/// What NTP's format can tell: 1968-01-20 to 2104-02-26.
inline Timestamp random_time(std::mt19937_64& random) {
  constexpr std::int64_t first = (std::int64_t{1} << 31) - 2'208'988'800;  // s since 1970
  const auto seconds = first + static_cast<std::int64_t>(random() >> 32);
  return timestamp_from_ns(seconds * 1'000'000'000 +
                           static_cast<std::int64_t>(random() % 1'000'000'000));
}

inline FlowRecord random_flow(std::mt19937_64& random) {
  const bool v6 = random() % 4 == 0;
  FlowRecord record;
  record.key = {random_address(random, v6), random_address(random, v6),
                static_cast<std::uint16_t>(random()), static_cast<std::uint16_t>(random()),
                static_cast<std::uint8_t>(random())};
  record.packets = random() >> (random() % 64);
  record.bytes = random() >> (random() % 64);
  record.first = random_time(random);
  record.last = random_time(random);
  record.first_label = static_cast<std::uint32_t>(random());
  record.last_label = static_cast<std::uint32_t>(random());
  record.tcp_flags = static_cast<std::uint8_t>(random());
  record.expiry = static_cast<Expiry>(random() % ExpiryCounters::size);
  record.moment_squares = random();
  return record;
}

inline RttCell random_cell(std::mt19937_64& random) {
  RttCell cell;
  cell.slice = random_time(random);
  cell.length = Duration{1 + static_cast<std::int64_t>(random() >> 2)};
  cell.kind = static_cast<Kind>(random() % kind_count);
  cell.leg = static_cast<Leg>(random() % leg_count);
  const bool v6 = random() % 2 == 0;
  cell.prefix_length = static_cast<std::uint8_t>(random() % (v6 ? 129 : 33));
  cell.prefix = random_address(random, v6).masked(cell.prefix_length);
  cell.flow_group = static_cast<std::uint8_t>(random() % FlowTag::groups);
  cell.bin = LogBuckets::index_of(static_cast<std::int64_t>(random()));
  cell.weight = static_cast<double>(random() % 1000) / 7;
  cell.squared_weights = static_cast<double>(random() % 1000) / 7;
  cell.flow_marks = random();
  return cell;
}

inline MarkingRun random_run(std::mt19937_64& random) {
  MarkingRun run;
  run.duty = std::array{"mark", "observe", "restore"}[random() % 3];
  run.method = std::array{"step", "pulse", "double", "multiplexed"}[random() % 4];
  run.carrier = std::array{"dscp:0", "dscp:1,0", "hop-by-hop"}[random() % 3];
  run.exponent = static_cast<int>(random() % 17) - 10;
  if (random() % 2 == 0)
    run.clock_error = Duration{static_cast<std::int64_t>(random() % 1'000'000)};
  run.since = random_time(random);
  run.copies = random() % 2 == 0;
  run.ended = random() % 2 == 0;
  return run;
}

inline MarkCount random_mark(std::mt19937_64& random, const MarkingRun& run) {
  const MarkingInterval length{run.exponent};
  MarkCount count;
  count.interval = length.at(random_time(random)).interval;
  count.start = length.start_of(count.interval);
  count.read_at = random_time(random);
  count.doubt = std::array{"", "link-down", "not-recorded"}[random() % 3];
  count.flow = std::array{"", "any", "destination=2001:db8::/64,protocol=udp"}[random() % 3];
  for (std::uint64_t* each :
       {&count.packets, &count.middle, &count.contrary, &count.other, &count.marked_before})
    *each = random() % 1'000'000'000'000'000;
  count.pulses = static_cast<std::uint32_t>(random() % 256);
  count.pulse_time = random_time(random);
  count.late = Duration{static_cast<std::int64_t>(random() % 64'000'000'000)};
  count.early = Duration{static_cast<std::int64_t>(random() % 64'000'000'000)};
  count.repeats = static_cast<std::uint32_t>(random() % 1'000);
  return count;
}

inline ReferenceRun random_reference_run(std::mt19937_64& random) {
  ReferenceRun run;
  run.since = random_time(random);
  run.every = Duration{1 + static_cast<std::int64_t>(random() % 600'000'000'000)};
  if (random() % 2 == 0)
    run.clock_error = Duration{static_cast<std::int64_t>(random() % 1'000'000)};
  run.ended = random() % 2 == 0;
  return run;
}

/// Each another one, with the interval's own record.
inline ReferenceInterval random_references(std::mt19937_64& random) {
  ReferenceInterval interval;
  interval.begin = random_time(random);
  interval.end = interval.begin + Duration{static_cast<std::int64_t>(random() % 10'000'000'000)};
  ReferenceSeen& seen = interval.seen.emplace();
  for (std::uint64_t* each :
       {&seen.references, &seen.lost, &seen.reordered, &seen.of_others, &seen.off,
        &seen.before_first, &seen.after_last, &seen.no_room, &seen.unread})
    *each = random() % 1'000'000'000'000'000;
  interval.flows.resize(random() % 60);
  for (ReferenceFlow& flow : interval.flows) {
    flow.key = random_flow(random).key;
    flow.packets = random() % 1'000'000;
    flow.estimated = random() % (flow.packets + 1);
    flow.left_only = random() % (flow.estimated + 1);
    flow.mean_ns = (static_cast<double>(random() % 2'000'000'000) - 1e9) / 7;
    flow.deviation_ns = static_cast<double>(random() % 1'000'000) / 7;
  }
  return interval;
}

}  // namespace sojourn::ipfix
