#include "apps/oneway_estimates.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <string_view>

#include "apps/oneway_request.h"
#include "apps/option_helpers.h"
#include "core/units.h"
#include "oneway/exact/exact.h"
#include "oneway/lda/lda_method.h"
#include "oneway/rli/rli_method.h"

namespace sojourn {
namespace {

Result<Duration> parse_timeout(std::string_view text) {
  auto duration = parse_duration(text);
  if (duration && *duration <= Duration::zero())
    return failure(fmt::format("'{}' is no time at all", text));
  return duration;
}

/// "10Gbit", "155Mbit/s": decimal, as links are named.
Result<double> parse_capacity(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  std::string_view unit{end, static_cast<std::size_t>(text.data() + text.size() - end)};
  if (unit.ends_with("/s")) unit.remove_suffix(2);
  const double factor = unit == "bit"    ? 1
                        : unit == "kbit" ? 1e3
                        : unit == "Mbit" ? 1e6
                        : unit == "Gbit" ? 1e9
                                         : 0;
  if (error != std::errc{} || factor == 0 || !(value > 0))
    return failure(fmt::format("'{}' is no capacity such as 10Gbit or 155Mbit", text));
  return value * factor / 8;
}

Result<double> parse_outliers(std::string_view text) {
  double share = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), share);
  if (error != std::errc{} || end != text.data() + text.size() || !(share >= 0 && share < 1))
    return failure(fmt::format("'{}' is no share from 0 to below 1", text));
  return share;
}

MadeMethod made_cnf(const OnewayRequest& request, CnfEstimator estimator) {
  CnfOptions cnf = request.estimates.cnf;
  cnf.estimator = estimator;
  if (cnf.cache.active_timeout < cnf.cache.inactive_timeout)
    return failure(
        "--active-timeout is shorter than --inactive-timeout: no flow would ever be inactive");
  return make_cnf(request.options, cnf);
}

MadeMethod made_rli(const OnewayRequest& request, RliEstimator estimator) {
  if (request.options.sampling != 1)
    return failure("--sampling: reference packets speak for every packet, so none is left out");
  RliReceiver::Options options;
  options.estimator = estimator;
  options.capacity_bytes_a_second = request.estimates.capacity_bytes_a_second;
  return make_rli(options);
}

}  // namespace

void add_cnf_options(CLI::App& group, OnewayRequest& request) {
  CnfOptions& cnf = request.estimates.cnf;
  add_parsed(
      group, "--active-timeout", "TIME", parse_timeout,
      [&](Duration d) { cnf.cache.active_timeout = d; },
      "a flow record ends after this long (default 30min)");
  add_parsed(
      group, "--inactive-timeout", "TIME", parse_timeout,
      [&](Duration d) { cnf.cache.inactive_timeout = d; },
      "... or when its flow pauses for this long (default 15s)");
  add_parsed(
      group, "--cache", "SIZE", parse_size,
      [&](std::uint64_t size) { cnf.cache.memory_bytes = size; },
      "memory of the flow cache at each point (default 64MiB)");
  add_parsed(
      group, "--drop-outliers", "SHARE", parse_outliers,
      [&](double share) { cnf.drop_outliers = share; },
      "do not believe this share of the largest delays (default 0)");
}

void add_rli_options(CLI::App& group, OnewayRequest& request) {
  add_parsed(
      group, "--capacity", "RATE", parse_capacity,
      [&](double rate) { request.estimates.capacity_bytes_a_second = rate; },
      "of the link before LAST, such as 10Gbit: long packets take longer");
}

MadeMethod make_endpoint_method(const OnewayRequest& request) {
  return made_cnf(request, CnfEstimator::endpoint);
}
MadeMethod make_multiflow_method(const OnewayRequest& request) {
  return made_cnf(request, CnfEstimator::multiflow);
}
MadeMethod make_hybrid_method(const OnewayRequest& request) {
  return made_cnf(request, CnfEstimator::hybrid);
}
MadeMethod make_nearby_method(const OnewayRequest& request) {
  return made_cnf(request, CnfEstimator::nearby);
}

/// Sampled packets, matched one by one: what exact does with a sample.
MadeMethod make_trajectory_method(const OnewayRequest& request) {
  if (request.options.sampling == 1)
    return failure("--method trajectory needs --sampling; with all packets it is exact");
  return make_exact(request.options);
}

MadeMethod make_rli_method(const OnewayRequest& request) {
  return made_rli(request, RliEstimator::interpolate);
}
MadeMethod make_rli_left_method(const OnewayRequest& request) {
  return made_rli(request, RliEstimator::left_only);
}
MadeMethod make_rli_queue_method(const OnewayRequest& request) {
  if (request.estimates.capacity_bytes_a_second == 0)
    return failure(
        "--method rli-queue needs --capacity: how long a packet takes tells when the link was "
        "idle");
  return made_rli(request, RliEstimator::queue_aware);
}

MadeMethod make_lda_method(const OnewayRequest& request) {
  if (request.options.sampling != 1) return failure("--sampling: LDA's banks have their own");
  return make_lda(request.options);
}

}  // namespace sojourn
