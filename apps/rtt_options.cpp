// The options of `sojourn rtt`.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <random>
#include <string_view>
#include <thread>

#include "apps/commands.h"
#include "apps/option_helpers.h"
#include "apps/rtt_request.h"
#include "apps/rtt_table_options.h"
#include "console/terminal.h"
#include "core/units.h"
#include "wire/wanted.h"

namespace sojourn {
namespace {

constexpr std::uint32_t usual_full_size = 1440;  // STAGED's threshold: bytes of IP length

constexpr const char* rtt_examples = R"(Examples:
  sojourn rtt capture.pcap                       all kinds of round trip
  sojourn rtt a.pcap b.pcapng.gz                 several captures, merged in time order
  tcpdump -w - | sojourn rtt -                   from a pipe
  sudo sojourn rtt -i eth0 --duration 30s        live, for half a minute
  sudo sojourn rtt -i any --json --every 10s     a line of JSON every ten seconds
  sojourn rtt c.pcap --kind tcp,dns --by host    delays by the host that answered
  sojourn rtt c.pcap --kind response,tls         is it the network or the server?
  sojourn rtt c.pcap --inside 10.0.0.0/8         tell the inside leg from the outside leg
  sojourn rtt c.pcap --memory 64KiB              in fixed memory, without bias
  sojourn rtt c.pcap --window 10s                how delay changed over time
  sojourn rtt c.pcap --sla 'tcp p95 < 50ms'      exit status 3 if the rule is broken
  sojourn rtt today.pcap --expect usual.json     exit status 3 if delays have shifted
  sojourn rtt c.pcap --json                      for programs
  sojourn rtt c.pcap --samples - | head          every sample as CSV
  sojourn rtt c.pcap --plot delays.svg           the distributions as a picture

Kinds:
  tcp        a segment and the acknowledgment of its last byte
  handshake  SYN, SYN-ACK, ACK: both legs and their sum
  tcp-ts     a TCP timestamp and its echo
  flow       the life of a connection, from SYN to FIN or RST
  dns ntp icmp quic
  response   the last byte of what a client says to the first byte of the answer,
             and of that the network's time and the server's own; only if named
  tls        ClientHello to ServerHello, and to the first application data; only if named
)";

Result<std::uint64_t> parse_threads(std::string_view text) { return parse_count(text, 1, 64); }

Result<double> parse_false_alarm(std::string_view text) {
  return parse_share(text, {.high = 0.5, .above_low = true});
}
Result<double> parse_tolerance(std::string_view text) { return parse_share(text, {.high = 10}); }

bool shows_loss(KindSet kinds) {
  const Wanted wanted{kinds};
  return wanted.tcp || wanted.dns || wanted.ntp || wanted.icmp;
}

/// The same of --every alone.
std::string contradiction_of_every(const RttRequest& request, const CLI::App& rtt) {
  if (!request.every) return {};
  if (request.interfaces.empty()) return "--every is for -i; for a capture, see --window";
  if (!request.json) return "--every prints lines of JSON: say --json";
  for (const char* option :
       {"--heatmap", "--plot-heatmap", "--plot", "--html", "--window", "--save-distribution"})
    if (rtt.count(option) > 0)
      return fmt::format("{} is about the whole run, and --every about a part of it", option);
  if (request.histograms)
    return "--kernel-output histograms adds up from the start on: leave it out for --every";
  for (const SlaRule& rule : request.sla)
    if (rule.about_unanswered())
      return fmt::format(
          "--sla '{}' cannot be judged with --every: the answer may come in the "
          "next interval",
          rule.text());
  return {};
}

/// What contradicts or is missing, in one line; empty if all is well.
std::string contradiction(const RttRequest& request, const CLI::App& rtt) {
  const bool live = !request.interfaces.empty();
  if (!live && request.captures.empty())
    return "nothing to read: name a capture, '-', or -i INTERFACE";
  if (live && !request.captures.empty()) return "a capture and -i exclude each other";
  for (std::size_t i = 1; i < request.interfaces.size(); ++i)
    if (std::find(request.interfaces.begin(), request.interfaces.begin() + static_cast<long>(i),
                  request.interfaces[i]) != request.interfaces.begin() + static_cast<long>(i))
      return fmt::format("-i {} is named twice: every packet would count twice",
                         request.interfaces[i]);
  if (!live && request.duration) return "--duration is for -i: a capture ends by itself";
  if (auto reason = contradiction_of_every(request, rtt); !reason.empty()) return reason;
  for (const char* option : {"--engine", "--hook", "--most-samples", "--kernel-output"})
    if (!live && rtt.count(option) > 0) return fmt::format("{} is for -i", option);
  if (request.engine == Engine::socket) {
    for (const char* option : {"--hook", "--most-samples", "--kernel-output"})
      if (rtt.count(option) > 0) return fmt::format("{} is for --engine kernel", option);
  }
  if (request.histograms) {
    // They know a delay's kind and leg, nothing else.
    for (const char* option : {"--samples", "--by", "--window", "--inside", "--most-samples",
                               "--heatmap", "--plot-heatmap"})
      if (rtt.count(option) > 0)
        return fmt::format("{} needs samples one by one: leave --kernel-output histograms out",
                           option);
    if (request.table.kind && *request.table.kind != TableKind::fridge)
      return "--kernel-output histograms weighs by whole numbers, which one fridge has: --table "
             "fridge, or none";
  }
  if (request.most_samples && request.table.entry_probability)
    return "--most-samples chooses the entry probability: leave --entry-probability out";
  if (live && request.options.threads > 1) return "--threads is for captures; -i uses one thread";
  if (request.json && request.samples == "-")
    return "--json and --samples - both want standard output";
  if (request.json && request.plot == "-") return "--json and --plot - both want standard output";
  if (request.samples == "-" && request.plot == "-")
    return "--samples - and --plot - both want standard output";
  if (std::ranges::count(request.captures, "-") > 1) return "standard input can be read only once";
  if (live && (request.range.from || request.range.to))
    return "--from and --to are for captures; with -i, see --duration";
  if (request.plot_heatmap == "-" &&
      (request.json || request.samples == "-" || request.plot == "-"))
    return "--plot-heatmap - and another output both want standard output";
  if (request.html == "-") return "--html wants a file: standard output has the report";
  if (request.options.loss && !shows_loss(request.options.kinds))
    return "--loss is about TCP and about unanswered requests: name another kind besides quic";
  const bool grouped = request.options.measurement.grouping.has_value();
  const bool by_place = grouped && request.options.measurement.grouping->needs_places();
  if (by_place && request.places.empty())
    return "--by asn and country need a file of the owners of addresses: --mmdb GeoLite2-ASN.mmdb";
  if (!by_place && !request.places.empty()) return "--mmdb is for --by asn or country";
  if (by_place && request.options.anonymize)
    return "--anonymize replaces addresses before they are looked up: leave out --by asn and "
           "country";
  if (grouped && request.options.measurement.grouping->by(Grouping::By::dns_name) &&
      request.options.anonymize)
    return "--by dns-name shows what --anonymize hides: leave one of them out";
  if (request.options.names && request.options.anonymize)
    return "--names and --anonymize contradict each other";
  if (request.options.names && !grouped)
    return "--names is for groups: say which with --by, for example --by host";
  if (request.options.names && !request.options.measurement.grouping->names_hosts())
    return "--names shows hosts, which --by flow, host and requester have";
  if (!grouped && rtt.count("--top") > 0) return "--top is for groups: say which with --by";
  if (!grouped && rtt.count("--sort") > 0) return "--sort is for groups: say which with --by";
  if (request.sort == GroupOrder::change && !request.split && request.expect.empty())
    return "--sort change needs what to compare with: --split TIME or --expect FILE";
  if (request.sort == GroupOrder::lost && !request.options.loss)
    return "--sort lost is about signs of loss: say --loss";
  if (!grouped && rtt.count("--max-groups") > 0)
    return "--max-groups is for groups: say which with --by";
  for (const SlaRule& rule : request.sla) {
    if (!request.options.kinds.has(rule.kind()))
      return fmt::format("--sla '{}' is about a kind that --kind leaves out", rule.text());
    if (rule.each_group() && !grouped)
      return fmt::format("--sla '{}' is about groups: say which with --by", rule.text());
    if (rule.each_group() && rule.about_unanswered() &&
        !request.options.measurement.grouping->fits_requests())
      return fmt::format("--sla '{}': an unanswered request has no such group", rule.text());
  }
  for (const char* option : {"--false-alarm", "--expect-tolerance"})
    if (request.expect.empty() && !request.split && rtt.count(option) > 0)
      return fmt::format("{} is for --expect FILE and --split", option);
  if (request.split && live) return "--split is for captures";
  if (request.split && !grouped) return "--split compares groups: say which with --by";
  if (request.split && std::ranges::count(request.captures, "-") > 0)
    return "--split reads the start of a capture twice, and standard input can be read only once";
  if (request.save_distribution == "-")
    return "--save-distribution wants a file: standard output has the report";
  return {};
}

void add_input_options(CLI::App& rtt, RttRequest& request) {
  rtt.add_option("CAPTURE", request.captures,
                 "pcap or pcapng files, also .gz or .zst; - is standard input")
      ->type_name("");
  rtt.add_option("-i,--interface", request.interfaces,
                 "measure live on this interface (needs root), or on any; repeatable")
      ->allow_extra_args(false)
      ->type_name("NAME");
  add_engine(rtt, request.engine,
             "with -i: measure in the kernel, from a socket, or auto: in the kernel\n"
             "if available (the default)");
  rtt.add_option_function<std::string>(
         "--hook",
         [&](const std::string& name) { request.hook = name == "xdp" ? Hook::xdp : Hook::tc; },
         "where in the kernel: tc sees both directions (the default), xdp what\n"
         "comes in, such as on a mirror port")
      ->check(CLI::IsMember({"tc", "xdp"}))
      ->type_name("NAME");
  add_parsed(
      rtt, "--most-samples", "RATE", parse_rate, [&](double rate) { request.most_samples = rate; },
      "in the kernel: admit fewer requests, so that at most this many samples\n"
      "a second have to be read");
  rtt.add_option_function<std::string>(
         "--kernel-output",
         [&](const std::string& name) { request.histograms = name == "histograms"; },
         "what the kernel delivers: samples one by one (the default), or\n"
         "histograms, whose cost does not depend on the number of samples")
      ->check(CLI::IsMember({"samples", "histograms"}))
      ->type_name("NAME");
  add_parsed(
      rtt, "--duration", "TIME", parse_positive_duration, [&](Duration d) { request.duration = d; },
      "with -i: stop after this long");
  add_parsed(
      rtt, "--every", "TIME", parse_positive_duration, [&](Duration d) { request.every = d; },
      "with -i and --json: a line of JSON for each interval of this length");
  add_parsed(
      rtt, "--from", "TIME", &TimeBound::parse, [&](const TimeBound& t) { request.range.from = t; },
      "only packets from this time on: 90s (after the start), 02:33 or\n"
      "2026-11-15 02:33:11 (local), 2026-11-15T02:33:11Z");
  add_parsed(
      rtt, "--to", "TIME", &TimeBound::parse, [&](const TimeBound& t) { request.range.to = t; },
      "only packets before this time");
  rtt.add_option("--filter", request.filter,
                 "only packets that match this pcap-filter(7) expression")
      ->type_name("EXPRESSION");
  add_parsed(
      rtt, "--threads", "NUMBER", parse_threads,
      [&](std::uint64_t n) { request.options.threads = static_cast<unsigned>(n); },
      "threads to use (default 1)");
}

void add_measure_options(CLI::App& rtt, RttRequest& request) {
  RttOptions& options = request.options;
  add_parsed(
      rtt, "--kind", "KINDS", parse_kinds, [&](KindSet kinds) { options.kinds = kinds; },
      "kinds to measure, with commas between (default usual: all but response\nand tls)");
  TableWishes& table = request.table;
  add_parsed(
      rtt, "--expire", "TIME", parse_positive_duration,
      [&](Duration d) { table.patience = {d, d}; },
      "forget a request after this long (default 10s; kind flow 1h)");
  add_parsed_list(
      rtt, "--inside", "PREFIX", &Prefix::parse,
      [&](const Prefix& p) { options.inside.push_back(p); },
      "our side of the network; repeatable. Legs become external and internal")
      ->delimiter(',');
  rtt.add_flag("--keep-ambiguous", options.keep_ambiguous,
               "also use requests that were sent more than once, timed from the first");
  rtt.add_flag_callback(
      "--full-size-only", [&] { options.full_size = usual_full_size; },
      fmt::format("kind tcp: only segments of {} bytes of IP length and more, which\n"
                  "receivers mostly acknowledge without delay",
                  usual_full_size));
  add_seed(rtt, options.seed, "make hashing and --anonymize repeatable");
}

void add_output_options(CLI::App& rtt, RttRequest& request) {
  MeasurementOptions& measurement = request.options.measurement;
  add_parsed(
      rtt, "--by", "WHAT", &Grouping::parse, [&](const Grouping& g) { measurement.grouping = g; },
      "group by flow, host, requester, prefix/N, port, vlan, interface, tunnel,\n"
      "dns-name, dns-type, dns-code, asn or country, or by several: prefix/24,port");
  rtt.add_option("--mmdb", request.places,
                 "for --by asn and country: a file of MaxMind's format, such as\n"
                 "GeoLite2-ASN.mmdb; repeatable")
      ->allow_extra_args(false)
      ->type_name("FILE");
  add_parsed(
      rtt, "--sort", "ORDER", parse_group_order, [&](GroupOrder order) { request.sort = order; },
      "groups in order of samples (the default), median, p95, p99, change (with\n"
      "--split or --expect) or lost (with --loss)");
  add_parsed(
      rtt, "--split", "TIME", &TimeBound::parse, [&](const TimeBound& t) { request.split = t; },
      "with --by: which groups became slower or faster at this time (as --from)?");
  add_parsed(
      rtt, "--top", "NUMBER", parse_how_many, [&](std::uint64_t n) { request.top = n; },
      "groups to show (default 10)");
  add_parsed(
      rtt, "--max-groups", "NUMBER", parse_how_many,
      [&](std::uint64_t n) { measurement.max_groups = n; },
      "groups to keep; the rest become 'other'");
  add_parsed(
      rtt, "--window", "TIME", parse_positive_duration, [&](Duration d) { measurement.window = d; },
      "a row per time slice of this length");
  rtt.add_flag("--loss", request.options.loss,
               "signs of loss in TCP: retransmitted, late and reordered segments,\n"
               "duplicate ACKs, zero windows, resets; by leg, --by and --window");
  rtt.add_flag_callback(
      "--heatmap", [&] { request.draw_heatmap = request.options.measurement.heatmap = true; },
      "draw delay over time, with the share of unanswered requests beneath");
  rtt.add_option_function<std::string>(
         "--plot-heatmap",
         [&](const std::string& file) {
           request.plot_heatmap = file;
           request.options.measurement.heatmap = true;
         },
         "the same as SVG into this file, - for standard output")
      ->type_name("FILE");
  add_parsed_list(
      rtt, "--sla", "RULE", &SlaRule::parse,
      [&](const SlaRule& rule) { request.sla.push_back(rule); },
      "a rule such as 'tcp p95 < 50ms' or 'dns.server max < 1s', or with --by\n"
      "'each tcp.server p95 < 50ms'; or 'tcp retransmitted < 1%',\n"
      "'dns unanswered < 0.5%'; repeatable. Exit status 3 if one is broken");
  rtt.add_option("--save-distribution", request.save_distribution,
                 "put the distribution of each kind and leg aside in this file, and with\n"
                 "--by of each group")
      ->type_name("FILE");
  rtt.add_option("--expect", request.expect,
                 "compare with such a file, and with --by each group. Exit status 3 if\n"
                 "delays have shifted")
      ->type_name("FILE");
  add_parsed(
      rtt, "--false-alarm", "P", parse_false_alarm,
      [&](double p) { request.expect_options.false_alarm = p; },
      "with --expect or --split: how often it may be wrong about a shift (default\n0.001)");
  add_parsed(
      rtt, "--expect-tolerance", "SHARE", parse_tolerance,
      [&](double share) { request.expect_options.tolerance = share; },
      "with --expect or --split: relative change of delays to ignore (default 5%)");
  rtt.add_flag("--names", request.options.names,
               "with --by flow, host or requester: show hosts with the names that DNS answers\n"
               "and TLS clients in the same traffic give them, without look-ups");
  rtt.add_flag("--anonymize", request.options.anonymize, "replace addresses, preserving prefixes");
  rtt.add_flag("--json", request.json, "one JSON document on standard output");
  rtt.add_option("--samples", request.samples,
                 "every sample as CSV into this file, - for standard output")
      ->type_name("FILE");
  rtt.add_option("--plot", request.plot,
                 "the distributions as SVG into this file, - for standard output")
      ->type_name("FILE");
  rtt.add_option("--html", request.html,
                 "the whole report, with --heatmap and --loss, as one HTML file to send to a\n"
                 "colleague")
      ->type_name("FILE");
  add_color(rtt, request.color);
  rtt.add_flag_callback(
      "--ascii", [&] { request.unicode = false; }, "draw with plain characters only");
}

}  // namespace

void add_rtt(CLI::App& app, Run& run) {
  const auto request = std::make_shared<RttRequest>();
  request->options.seed = random_seed();
  request->unicode = unicode_wanted();

  CLI::App& rtt = *app.add_subcommand("rtt", "round-trip delays in captures or on an interface");
  rtt.footer(rtt_examples);
  rtt.get_formatter()->column_width(34);
  add_input_options(rtt, *request);
  add_measure_options(rtt, *request);
  add_table_options(rtt, request->table);
  add_output_options(rtt, *request);
  rtt.callback([request, &rtt, &run] {
    request->options.want_samples = !request->samples.empty();
    for (const SlaRule& rule : request->sla) request->options.loss |= rule.needs_loss();
    if (!request->html.empty()) {
      request->options.measurement.heatmap = !request->histograms;
      request->options.loss |= request->interfaces.empty() && shows_loss(request->options.kinds);
    }
    request->kinds_named = rtt.count("--kind") > 0;
    if (!request->interfaces.empty())  // a column that ends while one looks at it
      request->options.measurement.heatmap_column = std::chrono::seconds{1};
    if (const auto reason = contradiction(*request, rtt); !reason.empty())
      throw CLI::ValidationError(reason);  // CLI11's own way to refuse
    if (MeasurementOptions& measurement = request->options.measurement; measurement.grouping)
      measurement.grouping->limit_names(measurement.max_groups);
    request->table.threads = request->options.threads;
    set_table_defaults(request->table, !request->interfaces.empty());
    const auto table = choose_table(request->table);
    if (!table) throw CLI::ValidationError(std::string{table_refusal(table.error())});
    request->options.table = *table;
    run = [request] { return run_rtt(*request); };
  });
}

}  // namespace sojourn
