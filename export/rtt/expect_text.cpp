#include "export/rtt/expect_text.h"

#include <fmt/format.h>

#include "core/units.h"

namespace sojourn {
namespace {

std::string p_value_text(double p) {
  if (p < 1e-9) return "p < 1e-9";
  return fmt::format("p = {:.2g}", p);
}

/// "p50 31.20 ms was 20.10 ms"
std::string quantile_text(const ExpectResult& result, double q) {
  const auto now = result.now.quantile(q), then = result.expected.quantile(q);
  if (!now || !then) return {};
  return fmt::format("p{:.0f} {} was {}", 100 * q, format_duration(*now), format_duration(*then));
}

std::string_view opening(ShiftVerdict verdict) {
  switch (verdict) {
    case ShiftVerdict::slower:
      return "slower than expected";
    case ShiftVerdict::faster:
      return "faster than expected";
    case ShiftVerdict::changed_shape:
      return "not distributed as expected, some delays longer and some shorter";
    default:
      return "as expected";
  }
}

}  // namespace

std::string expect_sentence(const ExpectResult& result) {
  if (!result.test) {
    if (result.expected.samples == 0) return "nothing stored to compare with";
    if (result.now.samples == 0) return "no samples now";
    return fmt::format(
        "too few samples or flows to tell: worth {:.0f} now and {:.0f} then, of {:.0f} needed",
        result.now_independent, result.expected_independent, least_independent_samples);
  }
  std::string text{opening(result.verdict)};
  std::string separator = ": ";
  for (const double q : {0.5, 0.95})
    if (const auto part = quantile_text(result, q); !part.empty()) {
      text += separator + part;
      separator = ", ";
    }
  const ShiftTest::Side& side = result.test->greater();
  text += fmt::format(" (D = {:.2g}", side.distance);
  if (result.shifted() && side.at) text += " at " + format_duration(*side.at);
  return text + ", " + p_value_text(side.p_value) + ")";
}

std::string expect_promise(const ExpectComparison& comparison) {
  if (comparison.compared == 0)
    return "Nothing could be compared: no kind and leg has enough samples both now and in the "
           "file.";
  return fmt::format(
      "Changes of delays by less than {:g} % are not looked at. If nothing changed, the chance of "
      "any "
      "alarm here is at most {:g}, unless delays swing for longer than a twentieth of the run.",
      100 * comparison.options.tolerance, comparison.options.false_alarm);
}

std::string changes_sentence(const GroupChanges& changes) {
  std::string text = fmt::format(
      "{} slower, {} faster, {} of another shape, {} the same, {} with too few samples to tell. ",
      changes.count(ShiftVerdict::slower), changes.count(ShiftVerdict::faster),
      changes.count(ShiftVerdict::changed_shape), changes.count(ShiftVerdict::same),
      changes.count(ShiftVerdict::too_few));
  if (!changes.at)
    text += fmt::format("{} of the file have no samples now, {} are new. ", changes.gone,
                        changes.fresh);
  return text + fmt::format(
                    "With {:g} % probability none of the {} compared is called changed if none has "
                    "changed by more than {:g} %.",
                    100 * (1 - changes.options.false_alarm), changes.compared,
                    100 * changes.options.tolerance);
}

}  // namespace sojourn
