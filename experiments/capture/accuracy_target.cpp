#include "experiments/capture/accuracy_target.h"

#include <fmt/format.h>

#include <cmath>

#include "core/parse.h"

namespace sojourn {
namespace {

Result<AccuracyDemand> parse_demand(std::string_view text) {
  constexpr std::string_view joint = " within ";
  const auto at = text.find(joint);
  const auto refused = [&](std::string_view why) {
    return failure(fmt::format("'{}' is not an accuracy such as 'p99 within 10%': {}", text, why));
  };
  if (at == std::string_view::npos) return refused("the word 'within' is missing");
  const std::string_view which = trimmed(text.substr(0, at)),
                         share = trimmed(text.substr(at + joint.size()));
  const auto percentile = parse_percentile(which);
  if (!percentile ||
      !((*percentile >= 1 && *percentile <= 99 && *percentile == std::floor(*percentile)) ||
        *percentile == 99.9))
    return refused("the percentile is p1 to p99, or p99.9");
  const auto within = parse_share(share, {.high = 10, .above_low = true});
  if (!within || !share.ends_with('%')) return refused("the error is a percentage above 0");
  return AccuracyDemand{*percentile, *within};
}

}  // namespace

Result<AccuracyTarget> AccuracyTarget::parse(std::string_view text) {
  AccuracyTarget target;
  target.text_ = text;
  for (const std::string_view part : split_at_commas(text)) {
    const auto demand = parse_demand(trimmed(part));
    if (!demand) return std::unexpected(demand.error());
    target.demands_.push_back(*demand);
  }
  return target;
}

double error_of(const AccuracyDemand& demand, const TrialOutcome& outcome) {
  const double ratio = demand.percentile == 99.9
                           ? outcome.p999_ratio
                           : outcome.ratio[static_cast<std::size_t>(demand.percentile)];
  return std::fabs(ratio - 1);
}

double AccuracyTarget::strain(const TrialOutcome& outcome) const {
  double strain = 0;
  for (const AccuracyDemand& demand : demands_)
    strain = std::max(strain, error_of(demand, outcome) / demand.within);
  return strain;
}

}  // namespace sojourn
