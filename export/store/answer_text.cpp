#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/printable.h"
#include "core/units.h"
#include "export/store/answer_report.h"
#include "export/text_cells.h"
#include "export/text_table.h"
#include "naming/stored_group.h"

namespace sojourn {
namespace {

/// Of a segment between two points: names come from the network.
constexpr std::size_t longest_name = 600;

/// The mean delay over time, from the lowest to the highest column.
std::string course_line(const std::vector<std::optional<Duration>>& course, bool unicode) {
  static constexpr std::array<std::string_view, 8> high = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  static constexpr std::array<std::string_view, 8> plain = {"_", ".", ":", "-", "=", "+", "*", "#"};
  std::optional<Duration> least, most;
  for (const auto& delay : course) {
    if (!delay) continue;
    least = least ? std::min(*least, *delay) : *delay;
    most = most ? std::max(*most, *delay) : *delay;
  }
  std::string line;
  for (const auto& delay : course) {
    if (!delay) {
      line += ' ';
      continue;
    }
    const double span = static_cast<double>((*most - *least).count());
    const double share = span > 0 ? static_cast<double>((*delay - *least).count()) / span : 0;
    line += (unicode ? high : plain)[static_cast<std::size_t>(share * 7.999)];
  }
  return line;
}

/// "12 s", "25 h", "4 days": an age needs no nanoseconds.
std::string age_text(Duration age) {
  using namespace std::chrono;
  const std::int64_t s = std::max<std::int64_t>(0, duration_cast<seconds>(age).count());
  if (s < 120) return fmt::format("{} s", s);
  if (s < 120 * 60) return fmt::format("{} min", s / 60);
  if (s < 72 * 3600) return fmt::format("{} h", s / 3600);
  return fmt::format("{} days", s / 86'400);
}

/// "2026-11-15 02:33:11 UTC"
std::string second_text(Timestamp time) {
  const std::string text = format_time(time);
  return text.substr(0, 10) + " " + text.substr(11, 8) + " UTC";
}

std::string percent_text(double share) {
  const double percent = share * 100;
  return fmt::format("{:.{}f}", percent, percent < 0.1 ? 3 : percent < 10 ? 2 : 1);
}

std::string loss_text(const std::optional<LossEstimate>& loss) {
  if (!loss) return "-";
  return fmt::format("{} % ({} to {})", percent_text(loss->share), percent_text(loss->low),
                     percent_text(loss->high));
}

std::string quantile_name(double q) {
  std::string name = fmt::format("{:.4f}", q * 100);
  name.erase(name.find_last_not_of('0') + 1);
  if (name.back() == '.') name.pop_back();
  return "p" + name;
}

void add_subject(std::string& text, const AnswerReport& report, const AnswerSubject& subject,
                 const TextOptions& options) {
  text += "\n" + printable(subject.name, longest_name);
  if (subject.newest)
    text += fmt::format("   newest data {} old", age_text(report.now - *subject.newest));
  text += "\n";
  using enum TextTable::Align;
  std::vector<TextTable::Align> columns = {left, right, right};
  std::vector<std::string> header = {"  traffic", "samples", "effective"};
  for (const double q : report.quantiles) {
    columns.push_back(right);
    header.push_back(quantile_name(q));
  }
  if (report.with_loss) {
    columns.push_back(right);
    header.push_back("loss (95 %)");
  }
  columns.push_back(left);
  header.push_back("over time");
  TextTable table{columns};
  table.row(header);
  bool any_unseen = false;
  for (const AnswerRow& row : subject.rows) {
    if (row.delays.empty()) continue;
    std::string what = "  ";
    if (row.measure != number_of(Measure::oneway))
      what += fmt::format("{} {} ", kind_names[row.measure], leg_names[row.leg]);
    what += row.prefix ? group_name(*row.prefix) : "all";
    std::vector<std::string> cells = {
        what, compact_count(static_cast<std::uint64_t>(row.delays.total_weight() + 0.5)),
        compact_count(static_cast<std::uint64_t>(row.delays.effective_samples() + 0.5))};
    for (const QuantileEstimate& quantile : row.delays.estimates(report.quantiles))
      cells.push_back(with_margin(quantile.delay, quantile.interval, options.unicode));
    if (report.with_loss) cells.push_back(loss_text(row.loss));
    cells.push_back(course_line(row.course, options.unicode));
    any_unseen = any_unseen || (row.loss && row.loss->unseen > 0);
    table.row(std::move(cells));
  }
  for (const std::string& line : table.lines(140)) text += line + "\n";
  if (any_unseen)
    text +=
        "  Loss is at most the greater figure: some flows were never seen again, and may have gone "
        "another way.\n  `collect --path` says that they had to come.\n";
  if (!subject.clock) return;
  const SegmentClock& clock = *subject.clock;
  if (clock.error_ns)
    text += fmt::format("  clocks: both points state errors of at most {} together\n",
                        format_duration(Duration{*clock.error_ns}));
  else
    text += "  clocks: not both points are synchronised\n";
  if (clock.offset_low_ns && clock.offset_high_ns)
    text += fmt::format("  clocks: by traffic both ways the last is ahead by {} to {}\n",
                        format_duration(Duration{*clock.offset_low_ns}),
                        format_duration(Duration{*clock.offset_high_ns}));
}

void add_ledger(std::string& text, const PointLedger& ledger, Timestamp now) {
  using enum Account;
  text += fmt::format("\nLedger of {}, instance {:016x}, last heard {} ago\n",
                      printable(ledger.point, longest_name), ledger.instance,
                      age_text(now - ledger.last_heard));
  using enum TextTable::Align;
  TextTable table{{left, right, left}};
  const auto row = [&](const char* name, Account account, std::string parts) {
    table.row({name, format_count(ledger[account]), std::move(parts)});
  };
  const auto n = [&](Account account) { return format_count(ledger[account]); };
  row("  packets seen", packets_seen,
      fmt::format("= not selected {} + selected {}", n(packets_not_selected), n(packets_selected)));
  row("  packets selected", packets_selected,
      fmt::format("= in cache {} + exported {} + spooled {} + discarded {}", n(packets_in_cache),
                  n(packets_exported), n(packets_spooled), n(packets_discarded)));
  row("  records exported", records_exported,
      fmt::format("= received {} + missing {}", format_count(ledger[received] - ledger[repeated]),
                  format_count(ledger.not_received())));
  row("  records received", received,
      fmt::format(
          "= joined {} + waiting {} + without partner {} + ambiguous {} + other selection {}",
          n(joined), n(waiting), n(without_partner), n(ambiguous), n(other_selection)));
  table.row({"", "",
             fmt::format("+ repeated {} + without label {} + no room {} + lost at restart {}",
                         n(repeated), n(without_label), n(no_room), n(lost_at_restart))});
  if (ledger[marks] > 0) table.row({"", "", fmt::format("+ marks {}", n(marks))});
  if (ledger[references] > 0) table.row({"", "", fmt::format("+ references {}", n(references))});
  row("  records joined", joined, fmt::format("= stored {}", n(stored)));
  row("  round-trip cells", cells_received,
      fmt::format("= stored {} + refused {}", n(cells_stored), n(cells_refused)));
  for (const std::string& line : table.lines(140)) text += line + "\n";
  if (ledger.marking != MarkingState::none)
    text += fmt::format("  {}: {}; it has fallen silent {} times.\n",
                        ledger[references] > 0 ? "References" : "Marking", name_of(ledger.marking),
                        n(silences));
  if (ledger[same_name] > 0)
    text +=
        fmt::format("  {} reports came while another point of this name reported.\n", n(same_name));
  const std::string fault = ledger.fault();
  text += fault.empty() ? "  It adds up.\n"
                        : "  It does not add up: " + printable(fault, 2 * longest_name) + "\n";
}

/// Nothing was measured in the requested time: what was, and how to ask for it.
std::string nothing_text(const AnswerReport& report) {
  std::optional<Timestamp> newest;
  for (const AnswerSubject& subject : report.answer.subjects)
    if (subject.newest) newest = newest ? std::max(*newest, *subject.newest) : *subject.newest;
  if (!newest) return "\nThe store holds no delays yet.\n";
  const Duration age = report.now - *newest;
  return fmt::format("\nNothing in this time. The newest data are {} old: try --since {}h.\n",
                     age_text(age), age / std::chrono::hours{1} + 1);
}

}  // namespace

std::string answer_text(const AnswerReport& report, const TextOptions& options) {
  const StoreAge& age = report.answer.age;
  std::string text = fmt::format(
      "From {} to {}, {}", second_text(report.answer.from), second_text(report.answer.to),
      age.written ? fmt::format("written {} ago", age_text(report.now - *age.written))
                  : "never written");
  if (report.with_loss && age.judged_until)
    text += fmt::format(", losses until {} ago", age_text(report.now - *age.judged_until));
  text += "\n";
  if (report.with_delays) {
    bool any = false;
    for (const AnswerSubject& subject : report.answer.subjects) {
      if (subject.rows.empty()) continue;
      add_subject(text, report, subject, options);
      any = true;
    }
    text += any ? fmt::format(
                      "\n{} covers the true quantile with 95 % confidence, by how much "
                      "flows differ; ? stands where there are too few flows to tell.\n",
                      options.unicode ? "±" : "+-")
                : nothing_text(report);
  }
  for (const PointLedger& ledger : report.ledgers) add_ledger(text, ledger, report.now);
  return text;
}

}  // namespace sojourn
