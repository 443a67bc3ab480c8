// The options of `sojourn point` that mark.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>

#include "apps/marking_option.h"
#include "apps/option_helpers.h"
#include "apps/point/point_marking.h"
#include "ipfix/point_name.h"

namespace sojourn {
namespace {

Result<TcDirection> parse_direction(std::string_view text) {
  if (text == "ingress") return TcDirection::ingress;
  if (text == "egress") return TcDirection::egress;
  return failure(fmt::format("'{}' is neither ingress nor egress", text));
}

void add_duty(CLI::App& group, PointMarkingRequest& request, const char* option, MarkingDuty duty,
              const char* description) {
  add_parsed(
      group, option, "METHOD", parse_marking_method,
      [&request, duty](MarkingMethod method) {
        request.duties.push_back(duty);
        request.live.program.setup.method = method;
        request.live.program.setup.early_pulses = true;
      },
      description);
}

constexpr const char* options_of_marking[] = {
    "--interval", "--carrier", "--flow",        "--force",        "--reversed",     "--copies",
    "--at",       "--records", "--clock-error", "--clock-offset", "--largest-delay"};

}  // namespace

void add_marking_point_options(CLI::App& point, PointMarkingRequest& request) {
  CLI::App& group = *point.add_option_group("Options of --mark, --observe and --restore");
  MarkingProgramOptions& program = request.live.program;
  add_duty(group, request, "--mark", MarkingDuty::mark,
           "set marks in packets that leave by the interface, and count\nthem: step, pulse, double "
           "or multiplexed (see sojourn mark)");
  add_duty(group, request, "--observe", MarkingDuty::observe,
           "count packets that arrive by their marks, at any node");
  add_duty(group, request, "--restore", MarkingDuty::restore,
           "the same at the last node, and remove the marks");
  add_parsed(
      group, "--interval", "TIME", &MarkingInterval::parse,
      [&](MarkingInterval i) { program.setup.length = i; },
      "1ms, 2ms, 4ms and so on to 64s (default 1s)");
  add_parsed(
      group, "--carrier", "NAME", &MarkingCarrier::parse,
      [&](const MarkingCarrier& c) { program.setup.carrier = c; },
      "dscp[:BIT] (default), dscp:STEP,PULSE, reserved, flow-label[:BIT],\nhop-by-hop, destination "
      "(IPv6 options, RFC 9343)");
  add_parsed_list(
      group, "--flow", "FILTER", &MarkingFilter::parse,
      [&](const MarkingFilter& f) { request.flows.push_back(f); },
      "a flow: source=PREFIX,destination=PREFIX,source-port=N,...;\nrepeatable. Without it all "
      "traffic is one flow");
  group.add_flag("--force", program.force,
                 "mark and count packets even if the carrier's field is in use");
  group.add_flag("--copies", program.copies,
                 "look for packets that come twice, which would hide losses;\nat all points or at "
                 "none");
  group.add_flag("--reversed", program.setup.reversed,
                 "colour 1 is that of even intervals, 0 of odd ones");
  add_parsed(
      group, "--at", "DIRECTION", parse_direction,
      [&](TcDirection direction) { request.direction = direction; },
      "egress (default of --mark) or ingress (of the others)");
  group
      .add_option("--records", request.records,
                  "counters as CSV into this file, line by line, for\nsojourn oneway FIRST.csv "
                  "LAST.csv")
      ->type_name("FILE");
  add_parsed(
      group, "--clock-error", "TIME", parse_duration,
      [&](Duration error) { request.clock_error = error; },
      "how far this clock may be off (default: what the kernel says)");
  add_parsed(
      group, "--largest-delay", "TIME", parse_duration,
      [&](Duration delay) { request.live.largest_delay = delay; },
      "expected between the points: shorter intervals are refused");
  add_parsed(
      group, "--clock-offset", "TIME", parse_signed_duration,
      [&](Duration offset) { program.clock_offset = offset; },
      "added to the clock, for tests (--clock-offset=-2ms)");
}

std::string complete_marking_request(PointMarkingRequest& request, const CLI::App& point) {
  if (!request.wanted()) {
    for (const char* option : options_of_marking)
      if (point.count(option) > 0)
        return fmt::format("{} is for --mark, --observe and --restore", option);
    return {};
  }
  if (request.duties.size() > 1)
    return "--mark, --observe and --restore are for different points: name one";
  if (point.count("CAPTURE") > 0) return "captures are marked by sojourn mark; this is for -i";
  if (request.live.interface.empty()) return "nothing to mark: name -i INTERFACE";
  if (request.json && request.records == "-")
    return "--json and --records - both write to standard output";
  MarkingProgramOptions& program = request.live.program;
  program.duty = request.duties.front();
  if (!request.flows.empty()) program.setup.flows = request.flows;
  const bool marks = program.duty == MarkingDuty::mark;
  request.live.direction =
      request.direction.value_or(marks ? TcDirection::egress : TcDirection::ingress);
  if (request.name.empty() && point.count("--to") > 0)
    return "--name is required with --to: the name of this point at the collector";
  if (request.name.empty()) request.name = request.live.interface;
  // A line of --records has it between commas, without quotation marks.
  if (request.name.size() > 64 || !ipfix::is_point_name(request.name) || request.name.contains('"'))
    return "--name must have 1 to 64 printable characters, without spaces, ',', ':' and '\"'";
  const auto plan = plan_marking(program);
  return plan ? std::string{} : plan.error().message;
}

}  // namespace sojourn
