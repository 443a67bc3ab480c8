// The options of `sojourn oneway`.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string_view>
#include <vector>

#include "apps/commands.h"
#include "apps/oneway_method_options.h"
#include "apps/oneway_request.h"
#include "apps/option_helpers.h"
#include "capture/files/open_point.h"
#include "console/terminal.h"
#include "core/units.h"
#include "export/marking/marking_report_csv.h"
#include "export/oneway/record_csv.h"
#include "oneway/label.h"

namespace sojourn {
namespace {

constexpr const char* oneway_examples = R"(Examples:
  sojourn oneway first.pcap last.pcap              delay and loss between two points
  sojourn oneway a.pcap b.pcap --flows -           every flow as CSV
  sojourn oneway a.pcap b.pcap --samples d.csv     every packet's delay as CSV
  sojourn oneway a.pcap b.pcap --by prefix/24      delays by the destination's network
  sojourn oneway a.pcap b.pcap --sampling 0.01     look at one packet in a hundred
  sojourn oneway a.pcap b.pcap --clock-error 50us  say how far the clocks may be apart
  sojourn oneway a.pcap b.pcap --correct-skew      take out the drift of the clocks
  sojourn oneway a.pcap b.pcap --clock-offset 1h   LAST's clock is an hour ahead
  sojourn oneway a.pcap b.pcap --json              for programs
  sojourn oneway a.pcap --sampling 0.01 --write-records a.csv
                                                   at each router; then, anywhere,
  sojourn oneway a.csv b.csv --method multiflow    the delays of their flows

Both captures must be of the same traffic: FIRST where packets come by first.
VLAN tags, MPLS labels and tunnels may differ; addresses and ports must not.
)";

/// "40", or "8+32": from byte 8 on.
Result<LabelOptions> parse_payload(std::string_view text) {
  LabelOptions options;
  const auto plus = text.find('+');
  const bool has_offset = plus != std::string_view::npos;
  const auto offset = parse_count(has_offset ? text.substr(0, plus) : "0", 0, 65'535);
  const auto bytes =
      parse_count(has_offset ? text.substr(plus + 1) : text, 0, InvariantBytes::most_payload);
  if (!offset || !bytes)
    return failure(fmt::format("'{}' is neither a number of bytes up to {} nor OFFSET+BYTES", text,
                               InvariantBytes::most_payload));
  options.payload_offset = static_cast<std::uint32_t>(*offset);
  options.payload_bytes = static_cast<std::uint32_t>(*bytes);
  return options;
}

Result<const MethodChoice*> parse_oneway_method(std::string_view text) {
  if (const MethodChoice* method = oneway_method_named(text)) return method;
  return unknown_name(text, "method",
                      oneway_method_names([](const MethodChoice&) { return true; }));
}

Result<LabelFunction> parse_function(std::string_view text) {
  if (text == "bob") return LabelFunction::bob;
  if (text == "ipsx") return LabelFunction::ipsx;
  constexpr std::string_view names[] = {"bob", "ipsx"};
  return unknown_name(text, "label function", names);
}

Result<std::uint64_t> parse_most_flows(std::string_view text) {
  return parse_count(text, 1, 1'000'000'000);
}

bool samples_packets(const MethodChoice& method) { return method.samples_packets; }

/// What contradicts or is missing, in one line; empty if all is well.
std::string contradiction(const OnewayRequest& request) {
  if (request.grouping && request.grouping->needs_places())
    return "--by asn and country are for sojourn rtt";
  if (request.grouping && request.grouping->needs_marks())
    return "--by interface, tunnel and dns-name, dns-type, dns-code are for sojourn rtt";
  if (!request.write_records.empty()) {
    if (!request.last.empty())
      return "--write-records takes one capture: call it once at each point";
    if (!request.method->joins_records)
      return fmt::format("--write-records: method {} does not go by flow records",
                         request.method->name);
    if (!request.flows.empty() || !request.samples.empty() || !request.plot.empty() ||
        request.json || request.grouping)
      return "--write-records writes records and nothing else: delays come when two files of them "
             "are joined";
  } else if (request.last.empty()) {
    return "LAST is required";
  }
  if (request.first == "-" && request.last == "-") return "standard input can be read only once";
  if (request.first == request.last && request.first != "-")
    return "FIRST and LAST are the same capture: name one of each point";
  if (request.correct_skew && (request.first == "-" || request.last == "-"))
    return "--correct-skew reads the captures twice, and standard input can be read only once";
  const int on_stdout =
      (request.flows == "-") + (request.samples == "-") + (request.plot == "-") + request.json;
  if (on_stdout > 1)
    return "--json, --flows -, --samples - and --plot - want standard output: only one can have it";
  if (!request.samples.empty() && !request.method->samples_packets)
    return fmt::format("--samples: method {} does not measure single packets",
                       request.method->name);
  if (request.grouping && !request.method->samples_packets)
    return fmt::format("--by: method {} does not measure single packets; see --flows",
                       request.method->name);
  if (request.grouping && request.grouping->by(Grouping::By::vlan))
    return "--by vlan: the two points may differ in VLAN tags, so they are not looked at";
  if (request.setup.options.sample_flows && request.setup.options.sampling == 1)
    return "--sample-flows: say how many with --sampling";
  return {};
}

void add_input_options(CLI::App& oneway, OnewayRequest& request) {
  oneway
      .add_option("FIRST", request.first,
                  "capture of the first point, or its flow records; - is standard input")
      ->type_name("")
      ->required();
  oneway.add_option("LAST", request.last, "the same of the last point; none with --write-records")
      ->type_name("");
  oneway
      .add_option("--filter", request.filter,
                  "only packets that match this pcap-filter(7) expression")
      ->type_name("EXPRESSION");
}

void add_measure_options(CLI::App& oneway, OnewayRequest& request) {
  OnewayOptions& options = request.setup.options;
  std::string methods = "how to measure (default exact):";
  for (const MethodChoice& method : oneway_methods())
    methods += fmt::format("\n{:<11}{}", method.name, method.summary);
  add_parsed(
      oneway, "--method", "NAME", parse_oneway_method,
      [&](const MethodChoice* m) { request.method = m, request.method_given = true; }, methods);
  add_parsed(
      oneway, "--window", "TIME", parse_positive_duration, [&](Duration d) { options.window = d; },
      "the largest plausible delay, either way (default 10s)");
  add_parsed(
      oneway, "--sampling", "SHARE",
      [](std::string_view text) { return parse_share(text, {.above_low = true}); },
      [&](double share) { options.sampling = share; },
      "use this share of the packets, by their label (default 1)");
  oneway.add_flag("--sample-flows", options.sample_flows,
                  "with --sampling: whole flows instead of packets");
  add_parsed(
      oneway, "--payload-bytes", "BYTES", parse_payload,
      [&](const LabelOptions& payload) {
        options.label.payload_offset = payload.payload_offset;
        options.label.payload_bytes = payload.payload_bytes;
      },
      "bytes behind the IP header that identify a packet (default 40),\n"
      "or OFFSET+BYTES");
  add_parsed(
      oneway, "--label", "NAME", parse_function,
      [&](LabelFunction f) { options.label.function = f; },
      "hash function of --sampling: bob (default) or ipsx");
  add_parsed(
      oneway, "--label-init", "NUMBER", parse_word,
      [&](std::uint32_t init) { options.label.init = init; },
      "its secret, equal at all points (default 0x9a3f9a3f)");
  add_parsed(
      oneway, "--max-flows", "NUMBER", parse_most_flows,
      [&](std::uint64_t flows) { options.max_flows = flows; },
      fmt::format("{}: flows to tell apart (default 4 million);\nthe packets of the rest are "
                  "only in the totals",
                  fmt::join(oneway_method_names(samples_packets), ", ")));
  add_seed(oneway, options.seed, "make hashing repeatable");
}

void add_clock_options(CLI::App& oneway, OnewayRequest& request) {
  add_parsed(
      oneway, "--clock-error", "TIME", parse_duration,
      [&](Duration d) { request.setup.clock_error = d; },
      "how far the two clocks may be apart: printed with the results");
  add_parsed(
      oneway, "--clock-offset", "TIME", parse_signed_duration,
      [&](Duration d) { request.clock_offset = d; },
      "LAST's clock is ahead by this much: subtracted (--clock-offset=-2s: behind)");
  oneway.add_flag("--correct-skew", request.correct_skew,
                  "remove the drift that the shortest delays show");
}

void add_output_options(CLI::App& oneway, OnewayRequest& request) {
  oneway
      .add_option("--flows", request.flows,
                  "every flow as CSV into this file, - for standard output")
      ->type_name("FILE");
  oneway
      .add_option("--write-records", request.write_records,
                  "the flow records of FIRST as CSV into this file, to be joined with\nanother "
                  "point's later: sojourn oneway FIRST.csv LAST.csv")
      ->type_name("FILE");
  oneway
      .add_option("--samples", request.samples,
                  "every packet's delay as CSV into this file, - for standard output")
      ->type_name("FILE");
  add_parsed(
      oneway, "--by", "WHAT", &Grouping::parse, [&](const Grouping& g) { request.grouping = g; },
      "group by flow, host (destination), requester (source), prefix/N or port");
  add_parsed(
      oneway, "--top", "NUMBER", parse_how_many, [&](std::uint64_t n) { request.top = n; },
      "flows and groups to show (default 10)");
  oneway.add_flag("--json", request.json, "one JSON document on standard output");
  oneway
      .add_option("--plot", request.plot,
                  "the distribution of delays as SVG into this file, - for standard output")
      ->type_name("FILE");
  add_color(oneway, request.color);
  oneway.add_flag_callback(
      "--ascii", [&] { request.unicode = false; }, "draw with plain characters only");
}

}  // namespace

void add_oneway(CLI::App& app, Run& run) {
  const auto request = std::make_shared<OnewayRequest>();
  request->setup.options.seed = random_seed();
  request->method = &oneway_methods().front();
  request->unicode = unicode_wanted();

  CLI::App& oneway = *app.add_subcommand(
      "oneway", "one-way delay and loss between two captures of the same traffic");
  oneway.footer(oneway_examples);
  oneway.get_formatter()->column_width(34);
  add_input_options(oneway, *request);
  add_measure_options(oneway, *request);
  add_clock_options(oneway, *request);
  add_output_options(oneway, *request);
  std::vector<std::pair<const MethodOptionGroup*, CLI::App*>> groups;
  for (const MethodOptionGroup& options : oneway_option_groups()) {
    CLI::App* group = oneway.add_option_group("Options of --method " + method_list(options.is_for));
    options.add(*group, *request);
    groups.emplace_back(&options, group);
  }
  oneway.callback([request, groups, &oneway, &run] {
    // Records are CNF's; which estimator will join them does not matter to who writes them.
    const bool of_records = !request->write_records.empty() || holds_records(request->first);
    if (of_records && !request->method_given) request->method = oneway_method_named("multiflow");
    if ((holds_marking(request->first) || holds_marking(request->last)) && !request->method_given)
      request->method = oneway_method_named("marking");
    for (const char* option :
         {"--marking", "--interval", "--carrier", "--reversed", "--flow", "--sampling",
          "--sample-flows", "--payload-bytes", "--label", "--label-init", "--window"})
      if (oneway.count(option) > 0 && request->marking_given.empty())
        request->marking_given = option;
    if (const auto reason = contradiction(*request); !reason.empty())
      throw CLI::ValidationError(reason);  // CLI11's own way to refuse
    for (const auto& [options, group] : groups)
      for (const CLI::Option* option : group->get_options())
        if (option->count() > 0 && !options->is_for(*request->method))
          throw CLI::ValidationError(fmt::format("{} is for --method {}", option->get_name(),
                                                 method_list(options->is_for)));
    if (oneway.count("--max-flows") > 0 && !samples_packets(*request->method))
      throw CLI::ValidationError("--max-flows is for --method " + method_list(samples_packets));
    if (!request->marking_flows.empty()) request->setup.marking.flows = request->marking_flows;
    request->setup.open_via = [filter = request->filter](const std::string& path) {
      return open_point(path, filter);
    };
    if (const auto reason = method_contradiction(*request); !reason.empty())
      throw CLI::ValidationError(reason);
    run = [request] { return run_oneway(*request); };
  });
}

}  // namespace sojourn
