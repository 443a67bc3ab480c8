#pragma once
// Metrics as Prometheus knows them, before they become text or protobuf.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace sojourn::web {

/// Weights of delays by bucket of LogBuckets, summed since the process began.
struct DelaySums {
  std::map<std::int32_t, double> bins;
  double weight = 0;
  double sum_ns = 0;      ///< with each delay in the middle of its bucket
  bool negative = false;  ///< delays below zero are possible: one-way

  void add(std::int32_t bin, double more);
};

enum class MetricType : std::uint8_t { counter = 0, gauge = 1, histogram = 4 };  ///< as protobuf's

using Labels = std::vector<std::pair<std::string, std::string>>;

struct Metric {
  Labels labels;
  std::variant<double, const DelaySums*> value;
};

struct MetricFamily {
  std::string name, help;
  MetricType type = MetricType::gauge;
  std::vector<Metric> metrics;
};

/// The text format 0.0.4.  Buckets may count fractions: weights are not integers.
inline constexpr std::string_view classic_content_type = "text/plain; version=0.0.4; charset=utf-8";
std::string classic_text(const std::vector<MetricFamily>& families);

/// io.prometheus.client.MetricFamily, delimited: with native float histograms of 8 buckets an
/// octave (schema 3), including negative delays.  Empty histograms are left out.
inline constexpr std::string_view protobuf_content_type =
    "application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; encoding=delimited";
std::string protobuf_bytes(const std::vector<MetricFamily>& families);

/// Whether this Accept header asks for protobuf.
bool wants_protobuf(std::string_view accept);

/// The upper bounds of the classic buckets, in nanoseconds and increasing: 2 an octave from 1 us
/// to 34 s, and for `negative` the same below zero.  All are bounds of LogBuckets, so that none of
/// its buckets is split; a delay that equals a bound to the nanosecond counts above it.
const std::vector<std::int64_t>& classic_bounds(bool negative);

/// The native bucket of schema 3 for a magnitude in seconds: 2^((i-1)/8) < magnitude <= 2^(i/8).
std::int32_t native_index(double magnitude);

}  // namespace sojourn::web
