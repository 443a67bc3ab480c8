#pragma once
// The parts of the report for people.  Each group of sections has its own file.

#include <string>
#include <vector>

#include "export/rtt/heatmap_grid.h"
#include "export/rtt/rtt_report.h"
#include "export/screen.h"
#include "export/text_page.h"

namespace sojourn {

/// The sections of the report, in the order of write().
class TextReport : private TextPage {
 public:
  TextReport(const RttReport& report, const TextOptions& options)
      : TextPage(options), report_(report), measurement_(*report.measurement) {}

  /// For a screen, if there is one: then moving parts come first.
  std::string write(const ScreenSize* screen);

 private:
  std::vector<Leg> measured_legs(Kind kind) const {
    std::vector<Leg> legs;
    for (std::size_t i = 0; i < leg_count; ++i)
      if (!measurement_.leg(kind, static_cast<Leg>(i)).empty()) legs.push_back(static_cast<Leg>(i));
    return legs;
  }
  std::vector<Kind> measured_kinds() const {
    std::vector<Kind> kinds;
    for (std::size_t i = 0; i < kind_count; ++i)
      if (!measured_legs(static_cast<Kind>(i)).empty()) kinds.push_back(static_cast<Kind>(i));
    return kinds;
  }

  // text_report.cpp
  void heading();
  void nothing_measured();
  // text_path.cpp
  void path();
  void server_or_network();
  // text_delays.cpp
  void delays();
  void shape();
  void requests();
  // text_loss.cpp
  void loss();
  void loss_totals();
  void loss_slices();
  void loss_groups();
  void unanswered_shares();
  void unanswered_slices();
  void unanswered_groups();
  void rows_left_out();
  bool has_tcp_loss() const;
  // text_heatmap.cpp
  void heatmap();
  void latest_heatmap(const ScreenSize& screen);
  void draw_heatmap(const HeatmapGrid& grid, const HeatmapPanel& panel);
  // text_groups.cpp
  void windows();
  void groups();
  // text_changes.cpp
  void changes();
  // text_verdicts.cpp
  void sla();
  void sla_line(const SlaResult& result);
  void sla_groups(const SlaGroups& groups);
  void expect();
  // text_trust.cpp
  void caveats();
  void losses();
  void engine(const EngineSummary& engine);
  void trust();

  std::vector<std::string> delay_cells(const Distribution& distribution,
                                       const std::vector<QuantileEstimate>& quantiles) const;

  const RttReport& report_;
  const Measurement& measurement_;
  bool few_flows_ = false, few_samples_ = false;  ///< some median has no margin, for that reason
};

}  // namespace sojourn
