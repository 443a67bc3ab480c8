#include "export/oneway/oneway_remarks.h"

#include <fmt/format.h>

#include <cmath>

#include "core/units.h"

namespace sojourn {
namespace {

Duration absolute(Duration duration) { return duration < Duration{0} ? -duration : duration; }

/// As the option takes it, to the millisecond: that brings the rest within any window.
std::string as_option(Duration offset) {
  return fmt::format("--clock-offset={:.3f}s", static_cast<double>(offset.count()) * 1e-9);
}

/// How far the same packets or records are apart, and what to try.
std::string beyond_the_window(const OnewayReport& report, Duration apart, Duration offset) {
  return fmt::format(
      "about {} apart, beyond --window {}: LAST's clock seems to be {} FIRST's; try {}",
      format_duration(absolute(apart)), format_duration(report.options.window),
      apart < Duration{0} ? "behind" : "ahead of", as_option(offset));
}

/// "3 ms behind", "2 ms ahead of": the latter in full if the sentence goes on with a clock.
std::string ahead_or_behind(Duration offset, bool in_full) {
  if (offset < Duration{0}) return format_duration(-offset) + " behind";
  return format_duration(offset) + (in_full ? " ahead of" : " ahead");
}

/// Captures on hosts hold both directions.
void note_directions(OnewayReport& report) {
  if (const std::uint64_t backward = backward_flows(*report.measured); backward > 0)
    report.notes.push_back(fmt::format(
        "{} of {} flows go from LAST to FIRST. They are counted apart, and are not among the flows "
        "and groups shown; in CSV their delays are negative, the clocks' offset aside.",
        backward, report.measured->result.flows.size()));
}

}  // namespace

std::string sentence_of(const OnewayDoubt& doubt, const OnewayReport& report) {
  const std::string &first = report.points[0].name, &last = report.points[1].name;
  switch (doubt.what) {
    case OnewayDoubt::What::different_traffic:
      return fmt::format(
          "no packet of {} is in {}: they seem to be captures of different traffic, or of another "
          "time",
          first, last);
    case OnewayDoubt::What::clocks_apart:
      return "the same packets are " +
             beyond_the_window(report, doubt.usual, doubt.usual + report.clock_offset);
    case OnewayDoubt::What::swapped:
      return fmt::format(
          "nearly all packets were at {} before they were at {} (median {}): the captures seem to "
          "be swapped, or LAST's clock is behind by {} or more",
          last, first, format_duration(doubt.usual),
          doubt.behind == Duration{0} ? "that much" : format_duration(doubt.behind));
    case OnewayDoubt::What::few_in_both:
      return fmt::format(
          "only {} of {} packets were found at both points: do the captures hold the same traffic, "
          "at the same time?",
          format_count(doubt.count), format_count(doubt.of));
    case OnewayDoubt::What::both_ways:
      return fmt::format(
          "packets go both ways between {} and {}, and method {} takes all of them for packets "
          "from FIRST to LAST: choose one direction with --filter",
          first, last, report.method->name);
    case OnewayDoubt::What::cut_packets:
      break;
  }
  return fmt::format(
      "{} packets were cut by the capture before the bytes that tell them apart; if the two "
      "captures are cut differently, give a smaller --payload-bytes",
      format_count(doubt.count));
}

std::string sentence_of(const CaptureDiagnosis& diagnosis, const OnewayReport& report,
                        bool filtered) {
  const std::string &first = report.points[0].name, &last = report.points[1].name;
  const auto& [one, other] = report.measured->inputs;
  switch (diagnosis.what) {
    case CaptureDiagnosis::What::no_packets:
      return fmt::format("{} holds no IP packets{}", diagnosis.point == Point::first ? first : last,
                         filtered ? " that match --filter" : "");
    case CaptureDiagnosis::What::apart_in_time: {
      const bool first_ends = *one.last < *other.first;
      return fmt::format(
          "no packet of {} is in {}, and they do not overlap in time: the {} ends at {}, the {} "
          "begins at {}",
          first, last, first_ends ? "former" : "latter",
          format_time(first_ends ? *one.last : *other.last), first_ends ? "latter" : "former",
          format_time(first_ends ? *other.first : *one.first));
    }
    case CaptureDiagnosis::What::beyond_the_window:
      return fmt::format("{} packets are in both captures, but {}", format_count(diagnosis.common),
                         beyond_the_window(report, diagnosis.apart, diagnosis.apart));
    case CaptureDiagnosis::What::translated:
      return fmt::format(
          "{} packets of {} are in {} with other addresses or ports (about {} later): there is NAT "
          "between the points, and packets are told apart by their addresses; capture both on the "
          "same side of it",
          format_count(diagnosis.common), first, last, format_duration(diagnosis.apart));
    case CaptureDiagnosis::What::different_traffic:
      break;
  }
  return fmt::format(
      "no packet of {} is in {}: they seem to be captures of different traffic (addresses and "
      "ports must be the same at both points){}",
      first, last,
      diagnosis.cut
          ? "; packets were cut short by the capture, so a smaller --payload-bytes may help"
          : "");
}

std::string sentence_of(const RecordDiagnosis& diagnosis, const OnewayReport& report) {
  const std::string &first = report.points[0].name, &last = report.points[1].name;
  switch (diagnosis.what) {
    case RecordDiagnosis::What::no_records:
      return fmt::format("{} holds no flow records",
                         diagnosis.point == Point::first ? first : last);
    case RecordDiagnosis::What::beyond_the_window:
      return fmt::format(
          "{} records are in both files, but {}", format_count(diagnosis.common),
          beyond_the_window(report, diagnosis.apart, diagnosis.apart + report.clock_offset));
    case RecordDiagnosis::What::different_labels:
      return fmt::format(
          "{} records of {} are of flows that are in {}, but no label agrees: were both written "
          "with the same --sampling, --payload-bytes, --label and --label-init?",
          format_count(diagnosis.common), last, first);
    case RecordDiagnosis::What::apart_in_time:
    case RecordDiagnosis::What::different_traffic:
      break;
  }
  return fmt::format(
      "no flow of {} is in {}: they seem to be records of different traffic{}", first, last,
      diagnosis.what == RecordDiagnosis::What::apart_in_time ? ", and they do not overlap in time"
                                                             : "");
}

void add_remarks(OnewayReport& report) {
  note_directions(report);
  for (const OnewayDoubt& doubt : doubts_of_figures(*report.measured, report.options.sampling))
    report.warnings.push_back(sentence_of(doubt, report));
}

std::string clock_sentence(const OnewayReport& report) {
  const OnewayClocks& clock = report.measured->clocks;
  std::string text = "Clocks: ";
  if (report.clock_error)
    text += fmt::format(
        "every delay is within {} of the truth, as far as the clocks go (--clock-error). ",
        format_duration(*report.clock_error));
  else
    text +=
        "how far they may be apart is not known (--clock-error), and every delay is wrong by that "
        "much. ";
  if (report.clock_offset != Duration{0})
    text += fmt::format("An offset of {} was taken out. ", format_duration(report.clock_offset));
  if (clock.offset)
    text += fmt::format("Packets go both ways, so LAST's clock is from {} to {} FIRST's. ",
                        ahead_or_behind(clock.offset->low, false),
                        ahead_or_behind(clock.offset->high, true));
  if (!clock.skew) return text + "Too little data to see a drift.";
  if (!clock.skew->significant()) return text + "No drift is seen in the shortest delays.";
  text += fmt::format("LAST's clock {} {:.3g} ppm ({} over the capture)",
                      clock.skew->ppm() > 0 ? "gains" : "loses", std::abs(clock.skew->ppm()),
                      format_duration(rounded(std::abs(clock.skew->drift_ns))));
  return text + (clock.corrected ? ", which was taken out." : "; --correct-skew takes it out.");
}

}  // namespace sojourn
