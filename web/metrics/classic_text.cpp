// Prometheus' text format, https://prometheus.io/docs/instrumenting/exposition_formats/

#include <fmt/format.h>

#include <iterator>

#include "estimate/distribution/log_histogram.h"
#include "web/metrics/metric_family.h"

namespace sojourn::web {
namespace {

using Text = std::back_insert_iterator<std::string>;

/// Backslash, quote and newline have escapes; other control characters have none and are replaced.
std::string escaped(std::string_view value) {
  std::string text;
  for (const char c : value) {
    if (c == '\\')
      text += "\\\\";
    else if (c == '"')
      text += "\\\"";
    else if (c == '\n')
      text += "\\n";
    else
      text += static_cast<unsigned char>(c) < 0x20 ? '?' : c;
  }
  return text;
}

std::string labels_text(const Labels& labels, std::string_view more = {}) {
  std::string text;
  for (const auto& [name, value] : labels)
    text += fmt::format("{}{}=\"{}\"", text.empty() ? "" : ",", name, escaped(value));
  if (!more.empty()) text += fmt::format("{}{}", text.empty() ? "" : ",", more);
  return text.empty() ? text : "{" + text + "}";
}

void write_histogram(Text out, const std::string& name, const Labels& labels,
                     const DelaySums& sums) {
  double below = 0;
  auto bin = sums.bins.begin();
  for (const std::int64_t bound : classic_bounds(sums.negative)) {
    for (; bin != sums.bins.end() && LogBuckets::lowest(bin->first) < bound; ++bin)
      below += bin->second;
    fmt::format_to(out, "{}_bucket{} {}\n", name,
                   labels_text(labels, fmt::format("le=\"{}\"", static_cast<double>(bound) / 1e9)),
                   below);
  }
  fmt::format_to(out, "{}_bucket{} {}\n", name, labels_text(labels, "le=\"+Inf\""), sums.weight);
  fmt::format_to(out, "{}_sum{} {}\n", name, labels_text(labels), sums.sum_ns / 1e9);
  fmt::format_to(out, "{}_count{} {}\n", name, labels_text(labels), sums.weight);
}

constexpr std::string_view name_of(MetricType type) {
  return type == MetricType::counter ? "counter"
         : type == MetricType::gauge ? "gauge"
                                     : "histogram";
}

}  // namespace

std::string classic_text(const std::vector<MetricFamily>& families) {
  std::string text;
  const Text out{text};
  for (const MetricFamily& family : families) {
    fmt::format_to(out, "# HELP {} {}\n# TYPE {} {}\n", family.name, family.help, family.name,
                   name_of(family.type));
    for (const Metric& metric : family.metrics) {
      if (const auto* sums = std::get_if<const DelaySums*>(&metric.value))
        write_histogram(out, family.name, metric.labels, **sums);
      else
        fmt::format_to(out, "{}{} {}\n", family.name, labels_text(metric.labels),
                       std::get<double>(metric.value));
    }
  }
  return text;
}

}  // namespace sojourn::web
