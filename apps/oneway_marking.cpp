#include "apps/oneway_marking.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>

#include "apps/oneway_request.h"
#include "apps/option_helpers.h"
#include "capture/files/open.h"
#include "capture/filtered_source.h"
#include "oneway/marking/marking_method.h"

namespace sojourn {
namespace {

Result<MarkingMethod> parse_marking(std::string_view text) {
  if (const auto method = marking_method_named(text)) return *method;
  return failure(
      fmt::format("'{}' is no marking; they are step, pulse, double and multiplexed", text));
}

/// What a point between the first and the last has counted.
Result<PointRecords> read_hop(const MarkingSetup& setup, const std::string& path,
                              const std::string& filter) {
  auto source = open_capture(path);
  if (source && !filter.empty()) source = FilteredSource::open(std::move(*source), filter);
  if (!source) return std::unexpected(source.error());
  auto monitor = MarkingMonitor::make(setup, MarkingRole::observing);
  if (!monitor) return std::unexpected(monitor.error());
  IpLocator locator{setup.seed};
  std::array<Packet, MarkingMonitor::max_batch> batch;
  std::array<IpPacket, MarkingMonitor::max_batch> ips;
  for (bool end = false; !end;) {
    const auto filled = (*source)->next(batch);
    end = filled.end;
    const std::size_t found = locator.locate({batch.data(), filled.count}, ips);
    monitor->process({ips.data(), found});
  }
  return monitor->finish();
}

}  // namespace

void add_marking_options(CLI::App& group, OnewayRequest& request) {
  MarkingWishes& wishes = request.marking;
  add_parsed(
      group, "--marking", "NAME", parse_marking, [&](MarkingMethod m) { wishes.setup.method = m; },
      "step, pulse, double or multiplexed (default)");
  add_parsed(
      group, "--interval", "TIME", &MarkingInterval::parse,
      [&](MarkingInterval i) { wishes.setup.length = i; },
      "1ms, 2ms, 4ms and so on to 64s (default 1s)");
  add_parsed(
      group, "--carrier", "NAME", &MarkingCarrier::parse,
      [&](const MarkingCarrier& c) { wishes.setup.carrier = c; },
      "where the marks are (default dscp); see sojourn mark --help");
  add_parsed_list(
      group, "--flow", "FILTER", &MarkingFilter::parse,
      [&](const MarkingFilter& f) { wishes.flows.push_back(f); },
      "a monitored flow: source=PREFIX,protocol=udp,...; repeatable.\n"
      "Without it all traffic is one flow");
  group
      .add_option("--via", wishes.via,
                  "capture of a point between; repeatable, in the order of the path")
      ->allow_extra_args(false)
      ->type_name("CAPTURE");
}

Result<std::unique_ptr<OnewayMethod>> make_marking_method(const OnewayRequest& request) {
  MarkingSetup setup = request.marking.setup;
  setup.seed = request.options.seed;
  if (!request.marking.flows.empty()) setup.flows = request.marking.flows;
  std::vector<std::string> via = request.marking.via;
  return make_marking(setup, request.clock_error.value_or(Duration{}), via,
                      [setup, filter = request.filter](const std::string& path) {
                        return read_hop(setup, path, filter);
                      });
}

}  // namespace sojourn
