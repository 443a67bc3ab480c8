// `sojourn mark`: its options, and from opening the captures to the exit status.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "apps/commands.h"
#include "apps/marking_option.h"
#include "apps/option_helpers.h"
#include "capture/files/open.h"
#include "capture/source_warnings.h"
#include "console/interrupt.h"
#include "console/output.h"
#include "console/progress.h"
#include "core/printable.h"
#include "export/files/run_files.h"
#include "export/marking/mark_text.h"
#include "pipeline/marking/mark_capture.h"
#include "pipeline/marking/marker.h"

namespace sojourn {

struct MarkRequest {
  std::string input, output;  ///< captures; "-" for standard input and output
  MarkerOptions options;
};

namespace {

Result<void> mark(const MarkRequest& request) {
  auto source = open_capture(request.input);
  if (!source) return std::unexpected(source.error());
  auto marker = Marker::make(request.options);
  if (!marker) return std::unexpected(marker.error());
  RunFiles files;
  files.reads(request.input);
  auto output = files.open(request.output, OutputContent::capture);
  if (!output) return std::unexpected(output.error());
  if (request.output != "-")
    if (auto opened = open_output(files); !opened) return opened;
  watch_for_interrupts();
  {
    Progress progress;
    const auto done = mark_capture(
        **source, request.input, **marker, [&](std::string_view bytes) { output->write(bytes); },
        interrupted(),
        [&] {
          if (output->failed()) stop_reading();
          progress.show((*source)->progress(), (*source)->counters().packets);
        });
    if (!done && (*marker)->met_used_carrier())
      return failure(done.error().message + "; --force overwrites it, or choose another --carrier");
    if (!done) return done;
  }
  if (auto finished = output->finish(); !finished) return finished;
  for (const std::string& warning : all_warnings(**source)) warn(warning);
  if (OutputFile::reader_gone()) return {};
  if (interrupted()) return failure("interrupted: " + request.output + " ends early");
  const std::string text =
      mark_text(printable(request.output), request.options, (*marker)->counters());
  if (request.output == "-")
    say_text_aside(text);
  else
    say_text(text);
  return {};
}

}  // namespace

static int run_mark(const MarkRequest& request) {
  const auto done = mark(request);
  if (done) return exit_ok;
  complain(done.error().message);
  return exit_error;
}

namespace {

constexpr const char* mark_examples = R"(Carriers:
  dscp[:BIT]          a bit of the DSCP field, 0 (default) to 5; IPv4 and IPv6
  dscp:STEP,PULSE     two bits of it, for double marking
  reserved            the reserved flag of IPv4
  flow-label[:BIT]    a bit of IPv6's flow label, 0 (default) to 19
  hop-by-hop          IPv6 option 0x12 (RFC 9343), read by every router
  destination         the same, read by the destination only

Examples:
  sojourn mark in.pcap out.pcap                          one bit: loss and delay
  sojourn mark in.pcap out.pcap --interval 16s           with longer intervals
  sojourn mark in.pcap out.pcap --method double --carrier dscp:1,0
  sojourn mark in.pcap out.pcap --flow source=10.0.0.0/8,protocol=udp
  sojourn mark in.pcap out.pcap --carrier hop-by-hop --flow-id 0x123
  sojourn mark marked.pcap plain.pcap --restore          remove the marks
)";

Result<std::uint32_t> parse_flow_id(std::string_view text) {
  const auto filter = MarkingFilter::parse("flow-id=" + std::string{text});
  if (!filter || !filter->flow_id)
    return failure(fmt::format("'{}' is not a flow identifier from 0 to 0xfffff", text));
  return *filter->flow_id;
}

/// What contradicts or is missing, in one line; empty if all is well.
std::string contradiction(const MarkRequest& request, const CLI::App& mark) {
  std::error_code unknown;
  if (request.output != "-" && std::filesystem::equivalent(request.input, request.output, unknown))
    return "IN and OUT are the same file, which would be overwritten while it is read";
  if (request.options.restore)
    for (const char* option : {"--method", "--interval", "--force", "--flow-id"})
      if (mark.count(option) > 0)
        return fmt::format("{} has no effect with --restore, which removes all marks", option);
  if (mark.count("--flow-id") > 0 && request.options.setup.carrier.kind() != CarrierKind::option)
    return fmt::format("--flow-id is for the carriers hop-by-hop and destination, not for {}",
                       request.options.setup.carrier.name());
  if (!request.options.restore)
    for (const MarkingFilter& filter : request.options.setup.flows)
      if (filter.flow_id)
        return "--flow flow-id=... is for packets that have one: give theirs with --flow-id";
  const auto marker = Marker::make(request.options);
  return marker ? std::string{} : marker.error().message;
}

}  // namespace

void add_mark(CLI::App& app, Run& run) {
  const auto request = std::make_shared<MarkRequest>(
      MarkRequest{.input = {},
                  .output = {},
                  .options = {.setup = {.carrier = *MarkingCarrier::parse("dscp")}}});
  request->options.setup.seed = random_seed();
  const auto flows = std::make_shared<std::vector<MarkingFilter>>();
  const auto flow_id = std::make_shared<std::uint32_t>(0);

  CLI::App& mark =
      *app.add_subcommand("mark", "alternate marking: mark a capture as the first point would");
  mark.footer(mark_examples);
  mark.get_formatter()->column_width(34);
  mark.add_option("IN", request->input, "capture to mark; - is standard input")
      ->type_name("")
      ->required();
  mark.add_option("OUT", request->output, "capture to write; - is standard output")
      ->type_name("")
      ->required();
  add_parsed(
      mark, "--method", "NAME", parse_marking_method,
      [request](MarkingMethod m) { request->options.setup.method = m; },
      "step (loss), pulse (delay), double or multiplexed (both; the default)");
  add_parsed(
      mark, "--interval", "TIME", &MarkingInterval::parse,
      [request](MarkingInterval i) { request->options.setup.length = i; },
      "1ms, 2ms, 4ms and so on to 64s (default 1s)");
  add_parsed(
      mark, "--carrier", "NAME", &MarkingCarrier::parse,
      [request](const MarkingCarrier& c) { request->options.setup.carrier = c; },
      "where the mark goes (default dscp), see below");
  add_parsed_list(
      mark, "--flow", "FILTER", &MarkingFilter::parse,
      [flows](const MarkingFilter& f) { flows->push_back(f); },
      "a flow to mark: source=PREFIX, destination=PREFIX, source-port=N,\n"
      "destination-port=N, protocol=NAME with commas between; repeatable.\n"
      "Without it all traffic is one flow");
  add_parsed(
      mark, "--flow-id", "NUMBER", parse_flow_id, [flow_id](std::uint32_t id) { *flow_id = id; },
      "FlowMonID of the first flow in IPv6's option; the next\nflows get the next numbers");
  mark.add_flag("--force", request->options.force,
                "overwrite the carrier's field even if it is in use");
  mark.add_flag("--restore", request->options.restore, "remove the marks, as the last point does");
  add_seed(mark, request->options.setup.seed, "make hashing repeatable");
  mark.callback([request, flows, flow_id, &mark, &run] {
    if (!flows->empty()) request->options.setup.flows = *flows;
    request->options.setup.carrier = request->options.setup.carrier.with_flow_id(*flow_id);
    if (const auto reason = contradiction(*request, mark); !reason.empty())
      throw CLI::ValidationError(reason);  // CLI11's own way to refuse
    run = [request] { return run_mark(*request); };
  });
}

}  // namespace sojourn
