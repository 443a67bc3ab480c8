// Shows at a glance which leg the delay is on.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "estimate/path_legs.h"
#include "export/rtt/text/text_sections.h"
#include "export/text_cells.h"

namespace sojourn {
namespace {

std::string repeated(std::string_view text, std::size_t times) {
  std::string result;
  for (std::size_t i = 0; i < times; ++i) result += text;
  return result;
}

/// A line of `width` characters with the delay in its middle.
std::string span_of(Duration delay, std::size_t width, std::string_view dash) {
  const std::string label = compact(delay);
  const std::size_t rest = width - std::min(width, label.size());
  return repeated(dash, rest / 2) + label + repeated(dash, rest - rest / 2);
}

/// The end of the path behind a leg.
std::string_view end_of(Leg leg) {
  if (leg == Leg::internal) return "inside";
  if (leg == Leg::external) return "outside";
  return name_of(leg);
}

std::string share_text(double share) {
  if (share > 0.999) return "more than 99.9 %";
  return fmt::format("{:.{}f} %", 100 * share, share > 0.99 ? 1 : 0);
}

}  // namespace

void TextReport::path() {
  const auto path = path_legs(measurement_);
  if (!path) return;
  const std::string_view near = end_of(path->near.leg), far = end_of(path->far.leg);
  constexpr std::string_view here = "capture";
  constexpr std::size_t label = 9;  // "999.9us" and a dash on either side
  const std::size_t room = width - near.size() - far.size() - here.size() - 12 - 2 * label;
  const auto draw = [&](Duration near_delay, Duration far_delay, std::string_view what) {
    const double share = PathLegs::share(near_delay, far_delay);
    const auto part = static_cast<std::size_t>(std::llround(share * static_cast<double>(room)));
    const std::string_view dash = unicode() ? "─" : "-";
    line(fmt::format("{} {} {} {} {}  {}", near, span_of(near_delay, label + room - part, dash),
                     here, span_of(far_delay, label + part, dash), far, what));
  };
  section(fmt::format("which leg the delay is on, by {}", name_of(path->kind)));
  draw(path->near.median.delay, path->far.median.delay, "median");
  draw(path->near.p95.delay, path->far.p95.delay, "p95");

  const double share = path->far_share(), share_p95 = path->far_share_p95();
  const std::string_view longer = share >= 0.5 ? far : near, slower = share_p95 >= 0.5 ? far : near;
  std::string text =
      fmt::format("{} of the median is on the {} leg", share_text(std::max(share, 1 - share)),
                  name_of(share >= 0.5 ? path->far.leg : path->near.leg));
  if (longer != slower)
    text +=
        fmt::format(", but {} of p95 on the {} leg", share_text(std::max(share_p95, 1 - share_p95)),
                    name_of(share_p95 >= 0.5 ? path->far.leg : path->near.leg));
  if (!path->certain()) text += "; there are too few flows to be sure";
  paragraph(styled(text + ".", "1"));
}

/// How a response's time is divided, by medians: the parts are those of the same responses.
void TextReport::server_or_network() {
  for (const Kind kind : {Kind::response, Kind::tls}) {
    const Distribution& network = measurement_.leg(kind, Leg::network);
    const Distribution& thinking = measurement_.leg(kind, Leg::thinking);
    if (network.empty() || thinking.empty()) continue;
    constexpr std::array quantiles = {0.5, 0.95};
    const auto there = network.estimates(quantiles), own = thinking.estimates(quantiles);
    section(fmt::format("the network or the server, by {}", name_of(kind)));
    constexpr std::string_view here = "capture", end = "server", pause = "thinks";
    constexpr std::size_t label = 9;
    const std::size_t room = width - here.size() - end.size() - pause.size() - 12 - 2 * label;
    const std::string_view dash = unicode() ? "─" : "-", dot = unicode() ? "┄" : ".";
    for (std::size_t i = 0; i < quantiles.size(); ++i) {
      const double share = PathLegs::share(there[i].delay, own[i].delay);
      const auto part = static_cast<std::size_t>(std::llround(share * static_cast<double>(room)));
      line(fmt::format("{} {} {} {} {}  {}", here,
                       span_of(there[i].delay, label + room - part, dash), end,
                       span_of(own[i].delay, label + part, dot), pause, i == 0 ? "median" : "p95"));
    }
    const double share = PathLegs::share(there[0].delay, own[0].delay);
    paragraph(
        styled(share >= 0.5
                   ? fmt::format("{} of the median is the server's own time.", share_text(share))
                   : fmt::format("{} of the median is the network's time.", share_text(1 - share)),
               "1"));
  }
}

}  // namespace sojourn
