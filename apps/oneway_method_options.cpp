#include "apps/oneway_method_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <string_view>

#include "apps/marking_option.h"
#include "apps/oneway_request.h"
#include "apps/option_helpers.h"
#include "core/units.h"

namespace sojourn {
namespace {

Result<std::uint32_t> parse_overhead(std::string_view text) {
  const auto bytes = parse_count(text, 0, 1'000);
  if (!bytes) return std::unexpected(bytes.error());
  return static_cast<std::uint32_t>(*bytes);
}

Result<double> parse_outliers(std::string_view text) {
  return parse_share(text, {.below_high = true});
}

void add_cnf_options(CLI::App& group, OnewayRequest& request) {
  CnfOptions& cnf = request.setup.cnf;
  add_parsed(
      group, "--active-timeout", "TIME", parse_positive_duration,
      [&](Duration d) { cnf.cache.active_timeout = d; },
      "a flow record ends after this long (default 30min)");
  add_parsed(
      group, "--inactive-timeout", "TIME", parse_positive_duration,
      [&](Duration d) { cnf.cache.inactive_timeout = d; },
      "... or when its flow pauses for this long (default 15s)");
  add_parsed(
      group, "--cache", "SIZE", parse_size,
      [&](std::uint64_t size) { cnf.cache.memory_bytes = size; },
      "memory of the flow cache at each point (default 64MiB)");
  add_parsed(
      group, "--drop-outliers", "SHARE", parse_outliers,
      [&](double share) { cnf.drop_outliers = share; },
      "discard this share of the largest delays (default 0)");
}

void add_rli_options(CLI::App& group, OnewayRequest& request) {
  add_parsed(
      group, "--capacity", "RATE", parse_capacity,
      [&](double rate) { request.setup.capacity_bytes_a_second = rate; },
      "of the link before LAST, such as 10Gbit: long packets take longer");
  add_parsed(
      group, "--link-overhead", "BYTES", parse_overhead,
      [&](std::uint32_t bytes) { request.setup.link_overhead = bytes; },
      "bytes of a packet on that link besides the IP packet\n"
      "(default by the link type of LAST: 38 on Ethernet, else 0)");
}

void add_marking_options(CLI::App& group, OnewayRequest& request) {
  MarkingSetup& marking = request.setup.marking;
  add_parsed(
      group, "--marking", "NAME", parse_marking_method,
      [&](MarkingMethod m) { marking.method = m; }, "step, pulse, double or multiplexed (default)");
  add_parsed(
      group, "--interval", "TIME", &MarkingInterval::parse,
      [&](MarkingInterval i) { marking.length = i; },
      "1ms, 2ms, 4ms and so on to 64s (default 1s)");
  add_parsed(
      group, "--carrier", "NAME", &MarkingCarrier::parse,
      [&](const MarkingCarrier& c) { marking.carrier = c; },
      "where the marks are (default dscp); see sojourn mark --help");
  group.add_flag("--reversed", marking.reversed,
                 "colour 1 is that of even intervals, 0 of odd ones");
  add_parsed_list(
      group, "--flow", "FILTER", &MarkingFilter::parse,
      [&](const MarkingFilter& f) { request.marking_flows.push_back(f); },
      "a monitored flow: source=PREFIX,protocol=udp,...; repeatable.\n"
      "Without it all traffic is one flow");
  group
      .add_option("--via", request.setup.via,
                  "capture of a point between; repeatable, in the order of the path")
      ->allow_extra_args(false)
      ->type_name("CAPTURE");
  add_parsed(
      group, "--segments", "LIST", parse_segments,
      [&](const std::vector<PathSegment>& segments) { request.setup.segments = segments; },
      "how these points are connected if not in a row, by number:\n"
      "first-1,first-2,1-last,2-last; gives the loss of each cluster");
}

/// As reason_of, with the names of our options.
std::string_view words_of(MethodRefusal refusal) {
  switch (refusal) {
    case MethodRefusal::active_timeout_too_short:
      return "--active-timeout is shorter than --inactive-timeout: no flow would ever be inactive";
    case MethodRefusal::references_sampled:
      return "--sampling: with reference packets every packet is measured";
    case MethodRefusal::capacity_unknown:
      return "--method rli-queue needs --capacity: how long a packet takes tells when the link was "
             "idle";
    case MethodRefusal::trajectory_of_all_packets:
      return "--method trajectory needs --sampling; with all packets it is exact";
    case MethodRefusal::lda_sampled:
      return "--sampling: LDA's banks have their own";
  }
  return reason_of(refusal);
}

}  // namespace

std::span<const MethodOptionGroup> oneway_option_groups() {
  static constexpr std::array all = {
      MethodOptionGroup{[](const MethodChoice& m) { return m.joins_records.has_value(); },
                        add_cnf_options},
      MethodOptionGroup{[](const MethodChoice& m) { return m.reads_references; }, add_rli_options},
      MethodOptionGroup{[](const MethodChoice& m) { return m.reads_marks; }, add_marking_options},
  };
  return all;
}

std::string method_list(bool (*which)(const MethodChoice&)) {
  return fmt::format("{}", fmt::join(oneway_method_names(which), ","));
}

std::string method_contradiction(const OnewayRequest& request) {
  const MethodChoice& method = *request.method;
  if (const auto refusal = method.refuse ? method.refuse(request.setup) : std::nullopt)
    return std::string{words_of(*refusal)};
  const auto made = method.make(request.setup);
  return made ? std::string{} : made.error().message;
}

}  // namespace sojourn
