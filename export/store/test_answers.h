#pragma once
// Answers of a store with fixed times, for the tests of what is made of them.

#include <string>

#include "export/store/answer_report.h"

namespace sojourn {

inline constexpr Timestamp noon =
    timestamp_from_ns(1'794'830'400'000'000'000);  // 2026-11-16 12:00 UTC

/// Commas, quotation marks, lines and what a terminal obeys.
inline const std::string hostile_name = "a,b\"c\n\x1b[31m";

/// Of the hour before noon, without subjects.
inline AnswerReport empty_answer() {
  AnswerReport report;
  report.now = noon;
  report.answer.from = noon - std::chrono::hours{1};
  report.answer.to = noon;
  report.answer.age = {noon - std::chrono::seconds{3}, noon - std::chrono::seconds{70}};
  return report;
}

inline AnswerSubject subject_of(std::string name, Duration age) {
  AnswerSubject subject;
  subject.name = std::move(name);
  subject.newest = noon - age;
  return subject;
}

/// One-way, of all traffic: 100 flows, whose delays are 10.0, 10.1 and so on to 19.9 ms.
inline AnswerRow oneway_row(const std::string& subject) {
  AnswerRow row;
  row.subject = subject;
  row.measure = number_of(Measure::oneway);
  for (int i = 0; i < 100; ++i)
    row.delays.add(std::chrono::milliseconds{10} + i * std::chrono::microseconds{100}, 1);
  return row;
}

/// One one-way delay with a weight of two.
inline AnswerReport with_oneway(Duration delay) {
  AnswerReport full = empty_answer();
  full.quantiles = {0.5};
  AnswerRow row;
  row.measure = number_of(Measure::oneway);
  row.delays.add(delay, 2);
  full.answer.subjects.push_back(subject_of("north:south", std::chrono::hours{1}));
  full.answer.subjects[0].rows.push_back(std::move(row));
  return full;
}

/// A segment with a prefix, losses, a course over time and a clock; and a point with round trips.
inline AnswerReport full_answer() {
  using namespace std::chrono_literals;
  AnswerReport report = empty_answer();
  report.with_loss = true;
  AnswerSubject segment = subject_of("north:south", 10s);
  AnswerRow all = oneway_row(segment.name);
  all.course = {10ms, std::nullopt, 15ms, 20ms};
  all.loss = LossEstimate{
      .sent = 1000, .arrived = 900, .unseen = 1, .share = 0.1, .low = 0.05, .high = 0.2};
  AnswerRow prefix = oneway_row(segment.name);
  prefix.prefix = *Prefix::parse("192.0.2.0/24");
  segment.rows.push_back(std::move(all));
  segment.rows.push_back(std::move(prefix));
  segment.clock =
      SegmentClock{.error_ns = 100'000, .offset_low_ns = -50'000, .offset_high_ns = 60'000};
  report.answer.subjects.push_back(std::move(segment));
  AnswerSubject point = subject_of("north", 3min);
  AnswerRow round;
  round.subject = point.name;
  round.measure = static_cast<std::uint8_t>(Kind::tcp);
  round.leg = static_cast<std::uint8_t>(Leg::server);
  round.delays.add(5ms, 2);
  round.course = {5ms};
  point.rows.push_back(std::move(round));
  point.clock = SegmentClock{};
  report.answer.subjects.push_back(std::move(point));
  return report;
}

/// It adds up.
inline PointLedger full_ledger() {
  using enum Account;
  PointLedger ledger;
  ledger.point = "north";
  ledger.instance = 0xabc;
  ledger.first_heard = noon - std::chrono::hours{2};
  ledger.last_heard = noon - std::chrono::seconds{8};
  auto& counts = ledger.accounts;
  counts[packets_seen] = 1'000'000;
  counts[packets_not_selected] = 990'000;
  counts[packets_selected] = 10'000;
  counts[packets_in_cache] = 10;
  counts[packets_exported] = 9'900;
  counts[packets_spooled] = 80;
  counts[packets_discarded] = 10;
  counts[records_exported] = 5'100;
  counts[received] = 5'020;
  counts[repeated] = 20;
  counts[joined] = 4'800;
  counts[waiting] = 60;
  counts[without_partner] = 50;
  counts[ambiguous] = 40;
  counts[other_selection] = 30;
  counts[without_label] = 9;
  counts[no_room] = 7;
  counts[lost_at_restart] = 4;
  counts[stored] = 4'800;
  counts[cells_received] = 33;
  counts[cells_stored] = 31;
  counts[cells_refused] = 2;
  return ledger;
}

}  // namespace sojourn
