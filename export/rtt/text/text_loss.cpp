// Signs of loss, as shares with intervals.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "core/units.h"
#include "estimate/unanswered.h"
#include "export/rtt/heatmap_grid.h"
#include "export/rtt/share_text.h"
#include "export/rtt/text/text_sections.h"

namespace sojourn {

using Align = TextTable::Align;

namespace {

constexpr std::array segment_signs = {LossSign::retransmitted, LossSign::spurious, LossSign::late,
                                      LossSign::reordered};
constexpr std::array packet_signs = {LossSign::duplicate_ack, LossSign::zero_window,
                                     LossSign::reset};

std::string count_text(double weight) {
  return format_count(static_cast<std::uint64_t>(std::llround(weight)));
}

}  // namespace

void TextReport::loss() {
  if (!report_.loss) return;
  section("signs of loss (share, and its 95 % interval in percent)");
  loss_totals();
  loss_slices();
  loss_groups();
  unanswered_shares();
  unanswered_slices();
  unanswered_groups();
  rows_left_out();
  if (!has_tcp_loss()) return;
  line("");
  paragraph(
      "retransmitted: of bytes that passed here before, so lost behind the capture, on the leg of "
      "its row, unless spurious: acknowledged here already. late: fills a hole after a round trip, "
      "so lost before the capture, on the other leg; reordered: at once.");
  if (report_.loss_followed < 1)
    paragraph(
        fmt::format("In fixed memory {:.3g} % of the connections were followed at the end; counts "
                    "are estimates for all.",
                    100 * report_.loss_followed));
}

void TextReport::rows_left_out() {
  const auto say = [&](const LossTally::Beyond& beyond, std::string_view rows) {
    if (beyond.packets > 0 || beyond.requests > 0)
      line(fmt::format("{} TCP packets and {} requests are in no {}: there were too many {}s.",
                       format_count(beyond.packets), format_count(beyond.requests), rows, rows));
  };
  say(report_.loss->beyond_slices(), "slice");
  say(report_.loss->beyond_groups(), "group");
}

bool TextReport::has_tcp_loss() const {
  for (std::size_t i = 0; i < leg_count; ++i)
    if (!report_.loss->leg(static_cast<Leg>(i)).empty()) return true;
  return false;
}

void TextReport::loss_totals() {
  std::vector<Leg> legs;
  for (std::size_t i = 0; i < leg_count; ++i)
    if (!report_.loss->leg(static_cast<Leg>(i)).empty()) legs.push_back(static_cast<Leg>(i));
  if (legs.empty()) return line("no TCP packets");
  std::vector<Align> columns(6, Align::right);
  columns[0] = Align::left;
  TextTable segments(columns);
  segments.row({"tcp to", "segments", "retransmitted", "spurious", "late", "reordered"});
  columns.resize(5);
  TextTable packets(columns);
  packets.row({"tcp to", "packets", "duplicate ACKs", "zero windows", "resets"});
  for (const Leg leg : legs) {
    const LossCounts& counts = report_.loss->leg(leg);
    std::vector<std::string> row = {std::string{name_of(leg)},
                                    count_text(counts.weight(LossSign::segment))};
    for (const LossSign sign : segment_signs) row.push_back(share_cell(counts.share(sign)));
    segments.row(std::move(row));
    row = {std::string{name_of(leg)}, count_text(counts.weight(LossSign::packet))};
    for (const LossSign sign : packet_signs) row.push_back(share_cell(counts.share(sign)));
    packets.row(std::move(row));
  }
  table(segments);
  line("");
  table(packets);
}

/// For an unanswered request, the request or its response was lost, or no host was there.
void TextReport::unanswered_shares() {
  TextTable rows({Align::left, Align::right, Align::right});
  rows.row({"unanswered", "requests", "share"});
  bool any = false;
  for (std::size_t i = 0; i < kind_count; ++i) {
    const Kind kind = static_cast<Kind>(i);
    const std::uint64_t requests = measurement_.counters(kind).requests;
    if (!unanswered_means_lost(kind) || requests == 0) continue;
    rows.row({std::string{name_of(kind)}, format_count(requests),
              share_cell(unanswered_share(measurement_, kind))});
    any = true;
  }
  if (!any) return;
  line("");
  table(rows);
}

void TextReport::unanswered_slices() {
  const auto slices = report_.loss->request_slices();
  if (slices.empty()) return;
  TextTable rows({Align::left, Align::left, Align::right, Align::right});
  rows.row({"start", "kind", "requests", "unanswered"});
  for (const LossTally::RequestRow& slice : slices)
    rows.row({format_time(slice.start).substr(11, 12), std::string{name_of(slice.kind)},
              format_count(slice.requests), share_cell(slice.unanswered)});
  line("");
  table(rows);
}

void TextReport::unanswered_groups() {
  if (!report_.loss->grouping() || report_.top == 0) return;
  const Grouping& grouping = *report_.loss->grouping();
  if (!grouping.fits_requests()) {
    line("");
    return paragraph(fmt::format(
        "Unanswered requests are not told by {}: that is known of answers only.", grouping.name()));
  }
  const bool by_share = report_.sort == GroupOrder::lost;
  const auto groups = report_.loss->request_groups(report_.top, by_share);
  if (groups.empty()) return;
  TextTable rows({Align::right, Align::right, Align::left, Align::left});
  rows.row({"requests", "unanswered", "kind",
            grouping.name() + (by_share ? ", highest share first" : ", most unanswered first")});
  for (const LossTally::RequestRow& group : groups)
    rows.row({format_count(group.requests), share_cell(group.unanswered),
              std::string{name_of(group.kind)}, group.label});
  line("");
  table(rows);
}

void TextReport::loss_slices() {
  const auto slices = report_.loss->slices();
  if (slices.empty()) return;
  TextTable rows(
      {Align::left, Align::left, Align::right, Align::right, Align::right, Align::right});
  rows.row({"start", "tcp to", "segments", "retransmitted", "late", "duplicate ACKs"});
  for (const LossTally::Row& slice : slices)
    rows.row({format_time(slice.start).substr(11, 12), std::string{name_of(slice.leg)},
              count_text(slice.counts->weight(LossSign::segment)),
              share_cell(slice.counts->share(LossSign::retransmitted)),
              share_cell(slice.counts->share(LossSign::late)),
              share_cell(slice.counts->share(LossSign::duplicate_ack))});
  line("");
  table(rows);
}

void TextReport::loss_groups() {
  if (!report_.loss->grouping() || report_.top == 0 || !has_tcp_loss()) return;
  TextTable rows({Align::right, Align::right, Align::right, Align::left, Align::left});
  const bool by_share = report_.sort == GroupOrder::lost;
  rows.row({"segments", "retransmitted", "late", "tcp to",
            report_.loss->grouping()->name() +
                (by_share ? ", highest share first" : ", most loss first")});
  for (const LossTally::Row& group : report_.loss->groups(report_.top, by_share))
    rows.row({count_text(group.counts->weight(LossSign::segment)),
              share_cell(group.counts->share(LossSign::retransmitted)),
              share_cell(group.counts->share(LossSign::late)), std::string{name_of(group.leg)},
              group.label});
  line("");
  table(rows);
}

}  // namespace sojourn
