#include "web/metrics/metric_family.h"

#include <algorithm>
#include <cmath>

#include "estimate/distribution/log_histogram.h"

namespace sojourn::web {

void DelaySums::add(std::int32_t bin, double more) {
  bins[bin] += more;
  weight += more;
  sum_ns += more * (static_cast<double>(LogBuckets::lowest(bin)) / 2 +
                    static_cast<double>(LogBuckets::highest(bin)) / 2);
}

const std::vector<std::int64_t>& classic_bounds(bool negative) {
  static const auto make = [](bool below_zero) {
    std::vector<std::int64_t> bounds;
    for (int exponent = 10; exponent <= 35; ++exponent) {
      bounds.push_back(std::int64_t{1} << exponent);
      if (exponent < 35) bounds.push_back(std::int64_t{3} << (exponent - 1));
    }
    if (!below_zero) return bounds;
    std::vector<std::int64_t> both;
    for (auto bound = bounds.rbegin(); bound != bounds.rend(); ++bound) both.push_back(-*bound);
    both.push_back(0);
    both.insert(both.end(), bounds.begin(), bounds.end());
    return both;
  };
  static const std::vector<std::int64_t> positive = make(false), all = make(true);
  return negative ? all : positive;
}

std::int32_t native_index(double magnitude) {
  return static_cast<std::int32_t>(std::ceil(std::log2(magnitude) * 8 - 1e-12));
}

bool wants_protobuf(std::string_view accept) {
  // Prometheus names protobuf first if it prefers it; a client that names it at all can read it.
  const auto at = accept.find("application/vnd.google.protobuf");
  if (at == std::string_view::npos) return false;
  const auto end = std::min(accept.find(',', at), accept.size());
  const auto entry = accept.substr(at, end - at);
  return entry.find("proto=io.prometheus.client.MetricFamily") != std::string_view::npos &&
         entry.find("encoding=delimited") != std::string_view::npos;
}

}  // namespace sojourn::web
