#include "library/oneway_words.h"

#include "core/units.h"
#include "pipeline/oneway/oneway_doubts.h"

namespace sojourn::v0 {
namespace {

std::string sentence_of(const OnewayDoubt& doubt, std::string_view method,
                        const OnewayOptions& options) {
  switch (doubt.what) {
    case OnewayDoubt::What::different_traffic:
      return "no packet of the first point is at the last: they seem to have seen different "
             "traffic, or that of another time";
    case OnewayDoubt::What::clocks_apart: {
      const bool behind = doubt.usual < Duration{0};
      return "the same packets are about " + format_duration(behind ? -doubt.usual : doubt.usual) +
             " apart, beyond the window of " + format_duration(options.window) +
             ": the last point's clock seems to be " + (behind ? "behind" : "ahead of") +
             " the first's (see clock_offset_ns)";
    }
    case OnewayDoubt::What::swapped:
      return "nearly all packets were at the last point before they were at the first (median " +
             format_duration(doubt.usual) +
             "): the points seem to be swapped, or the last one's clock is behind by " +
             (doubt.behind == Duration{0} ? "that much" : format_duration(doubt.behind)) +
             " or more";
    case OnewayDoubt::What::few_in_both:
      return "only " + format_count(doubt.count) + " of " + format_count(doubt.of) +
             " packets were found at both points: did they see the same traffic, at the same time?";
    case OnewayDoubt::What::both_ways:
      return "packets go both ways between the points, and method " + std::string{method} +
             " takes all of them for packets from the first to the last: choose one direction "
             "with a filter";
    case OnewayDoubt::What::cut_packets:
      break;
  }
  return format_count(doubt.count) +
         " packets were cut by the capture before the bytes that tell them apart";
}

}  // namespace

std::string with_members(const Note& note) {
  const bool of_capacity = note.advice == Advice::capacity || note.advice == Advice::link;
  return note.text + (of_capacity ? " See capacity_bits_per_second." : "");
}

std::vector<std::string> remarks_on(const OnewayMeasurement& measured, std::string_view method,
                                    const OnewayOptions& options) {
  std::vector<std::string> remarks;
  for (const Note& note : measured.result.notes) remarks.push_back(with_members(note));
  const auto add = [&](const std::vector<OnewayDoubt>& doubts) {
    for (const OnewayDoubt& doubt : doubts) remarks.push_back(sentence_of(doubt, method, options));
  };
  if (measured.common) add(doubts_of_common(*measured.common, options.window));
  add(doubts_of_figures(measured, options.sampling));
  return remarks;
}

}  // namespace sojourn::v0
