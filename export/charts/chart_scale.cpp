#include "export/charts/chart_scale.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "export/charts/log_steps.h"

namespace sojourn {
namespace {

/// 1, 2 or 5 times a power of ten, so that about six steps fill `range`.
double linear_step(double range) {
  const double rough = range / 6;
  const double decade = std::pow(10.0, std::floor(std::log10(rough)));
  for (const double step : axis_steps)
    if (step * decade >= rough * (1 - axis_slack)) return step * decade;
  return 10 * decade;
}

std::string superscript(int number) {
  static constexpr std::array<const char*, 10> digits = {"⁰", "¹", "²", "³", "⁴",
                                                         "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text = number < 0 ? "⁻" : "";
  for (const char digit : std::to_string(std::abs(number)))
    text += digits[static_cast<std::size_t>(digit - '0')];
  return text;
}

}  // namespace

ChartScale::ChartScale(const ChartAxis& axis, const std::vector<double>& values)
    : logarithmic_(axis.logarithmic) {
  low_ = std::numeric_limits<double>::infinity();
  high_ = -low_;
  for (const double value : values) {
    if (!std::isfinite(value) || (logarithmic_ && value <= 0)) continue;
    low_ = std::min(low_, logarithmic_ ? std::log10(value) : value);
    high_ = std::max(high_, logarithmic_ ? std::log10(value) : value);
  }
  if (low_ > high_) low_ = 0, high_ = 1;  // nothing to draw

  const auto given = [&](const std::optional<double>& end) {
    return end && std::isfinite(*end) && (!logarithmic_ || *end > 0);
  };
  const auto scaled = [&](double end) { return logarithmic_ ? std::log10(end) : end; };
  if (given(axis.low)) low_ = scaled(*axis.low);
  if (given(axis.high)) high_ = scaled(*axis.high);
  if (logarithmic_) {
    if (!given(axis.low)) low_ = log_step_below(low_);
    if (!given(axis.high)) high_ = log_step_above(high_);
    if (high_ - low_ < std::log10(2.0) - axis_slack) high_ = log_step_above(low_ + std::log10(2.0));
    return;
  }
  // If an axis of positive numbers has room for zero, it starts there: then heights are comparable.
  if (!given(axis.low) && low_ > 0 && low_ < high_ / 2) low_ = 0;
  if (high_ - low_ <= axis_slack * std::max(std::abs(low_), std::abs(high_))) {
    const double around =
        std::abs(low_) < 1e-290 ? 1 : std::abs(low_) / 2;  // its steps would be denormal
    if (!given(axis.low)) low_ -= around;
    high_ = std::max(high_, low_) + around;
  }
  const double step = linear_step(high_ - low_);
  if (!given(axis.low)) low_ = std::floor(low_ / step + axis_slack) * step;
  if (!given(axis.high)) high_ = std::ceil(high_ / step - axis_slack) * step;
}

std::optional<double> ChartScale::position(double value) const {
  if (!std::isfinite(value) || (logarithmic_ && value <= 0)) return std::nullopt;
  return ((logarithmic_ ? std::log10(value) : value) - low_) / (high_ - low_);
}

std::vector<ChartTick> ChartScale::ticks() const {
  return logarithmic_ ? logarithmic_ticks() : linear_ticks();
}

std::vector<ChartTick> ChartScale::linear_ticks() const {
  const double step = linear_step(high_ - low_);
  std::vector<ChartTick> ticks;
  for (double i = std::ceil(low_ / step - axis_slack); i <= std::floor(high_ / step + axis_slack);
       ++i)
    ticks.push_back({(i * step - low_) / (high_ - low_), tick_text(i * step)});
  return ticks;
}

/// Decades; on a short axis also 2 and 5 between them, and fine lines at all other multiples.
std::vector<ChartTick> ChartScale::logarithmic_ticks() const {
  const double range = high_ - low_;
  const double every = std::ceil(range / 12);  // decades between two labels
  std::vector<ChartTick> ticks;
  for (double decade = std::floor(low_ + axis_slack); decade <= high_ + axis_slack; ++decade) {
    for (int multiple = 1; multiple < 10; ++multiple) {
      const double at = decade + std::log10(multiple);
      if (at < low_ - axis_slack || at > high_ + axis_slack) continue;
      const bool labelled = multiple == 1 ? std::fmod(std::abs(decade), every) == 0
                                          : range < 2.5 && (multiple == 2 || multiple == 5);
      if (multiple != 1 && range > 7) continue;  // too many lines
      ticks.push_back(
          {(at - low_) / range, labelled ? tick_text(multiple * std::pow(10.0, decade)) : ""});
    }
  }
  return ticks;
}

std::string tick_text(double value) {
  const double size = std::abs(value);
  if (size < std::numeric_limits<double>::min()) return "0";
  if (size >= 0.999e-4 && size < 0.999e6) {
    const std::string text = fmt::format("{:.7g}", value);
    if (size < 0.999e4) return text;
    return text.size() > 3 && text.find('.') == std::string::npos
               ? text.substr(0, text.size() - 3) + " " + text.substr(text.size() - 3)
               : text;
  }
  const int exponent = static_cast<int>(std::floor(std::log10(size) + axis_slack));
  const std::string mantissa = fmt::format("{:.3g}", value / std::pow(10.0, exponent));
  const std::string power = "10" + superscript(exponent);
  if (mantissa == "1") return power;
  return mantissa == "-1" ? "-" + power : mantissa + "·" + power;
}

}  // namespace sojourn
