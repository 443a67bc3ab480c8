// The options of `sojourn point`.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "apps/commands.h"
#include "apps/option_helpers.h"
#include "apps/point/point_marking.h"
#include "apps/point/point_reference.h"
#include "apps/point/point_request.h"
#include "ipfix/point_name.h"

namespace sojourn {
namespace {

constexpr const char* point_examples = R"(Examples:
  head -c 32 /dev/urandom | base64 > secret      the same file at every point
  sudo sojourn point -i eth0 --name north --to collector.example --secret-file secret
  sudo sojourn point -i eth0 --name north --to collector.example --secret-file secret
      --transport tls --certificate north.pem --key north.key --authority ca.pem
      --spool /var/lib/sojourn                   what waits survives a restart
  sojourn point c.pcap --name north --to ::1     a capture, as if it passed now
  sudo sojourn point -i eth1 --mark multiplexed --records first.csv
                                                 alternate marking: at the first node,
  sudo sojourn point -i eth0 --restore multiplexed --records last.csv
                                                 at the last node, and then
  sojourn oneway first.csv last.csv              loss and delay per interval
  sudo sojourn point -i eth1 --name north --mark multiplexed --to collector.example
                                                 ... or kept by a collector, which
                                                 `sojourn query --marks` asks
  sudo sojourn point -i eth1 --reference adaptive --capacity 10Gbit      RLI: one router sends,
  sudo sojourn point -i eth0 --observe-references --capacity 10Gbit      the next one measures
      --name south --to collector.example        ... for `sojourn query --references`
)";

Result<double> parse_sampling(std::string_view text) {
  return parse_share(text, {.above_low = true});
}
Result<std::uint64_t> parse_enterprise(std::string_view text) {
  return parse_count(text, 1, 0xffff'ffffu);
}
Result<std::size_t> parse_room(std::string_view text) {
  const auto size = parse_size(text);
  if (!size) return std::unexpected(size.error());
  if (*size < ipfix::Spool::least_bytes)
    return failure(
        fmt::format("a spool needs at least {}", format_size(ipfix::Spool::least_bytes)));
  return *size;
}
struct PointWishes {
  std::string to;
  ipfix::Transport transport = ipfix::Transport::tcp;
  KindSet kinds = KindSet::usual();
};

/// Where to, and how.  What contradicts or is missing, in one line; empty if all is well.
std::string complete_link(PointRequest& request, const PointWishes& wishes, const CLI::App& point) {
  const auto endpoint = ipfix::Endpoint::parse(wishes.to, wishes.transport, HostPort::Use::connect);
  if (!endpoint) return "--to: " + endpoint.error().message;
  request.link.collector = *endpoint;
  const bool tls = wishes.transport == ipfix::Transport::tls;
  for (const char* option : {"--certificate", "--key", "--authority"}) {
    const bool given = point.count(option) > 0;
    if (tls && !given) return fmt::format("--transport tls needs {}", option);
    if (!tls && given) return fmt::format("{} is for --transport tls", option);
  }
  ipfix::WriterOptions& writer = request.options.writer;
  writer.domain = ipfix::domain_of(request.options.point.name);
  if (wishes.transport == ipfix::Transport::udp) writer.most_bytes = ipfix::datagram_bytes;
  return {};
}

/// The same of a point of flows and round trips.
std::string complete_request(PointRequest& request, const PointWishes& wishes,
                             const CLI::App& point) {
  if (request.capture.empty() && request.interface.empty())
    return "nothing to measure: name -i INTERFACE or a capture";
  if (!request.capture.empty() && !request.interface.empty())
    return "a capture and -i exclude each other";
  if (point.count("--to") == 0) return "--to is required";
  if (const std::string reason = complete_link(request, wishes, point); !reason.empty())
    return reason;
  if (!request.capture.empty() && request.duration) return "--duration is for -i";
  if (!request.capture.empty() && point.count("--engine") > 0) return "--engine is for -i";
  request.kinds_named = point.count("--kind") > 0;
  PointOptions& options = request.options;
  options.cells.slice = options.every;
  if (wishes.kinds.empty()) return {};
  const auto table = choose_table({.memory_bytes = request.rtt_memory});
  if (!table) return "--memory: " + std::string{reason_of(table.error())};
  options.rtt.emplace();
  options.rtt->kinds = wishes.kinds;
  options.rtt->table = *table;
  options.rtt->seed = options.oneway.seed;
  return {};
}

void add_collector_options(CLI::App& point, PointRequest& request, PointWishes& wishes) {
  point.add_option("--to", wishes.to, "the collector (default port 4739; tls 4740)")
      ->type_name("HOST[:PORT]");
  add_parsed(
      point, "--transport", "NAME", ipfix::parse_transport,
      [&](ipfix::Transport transport) { wishes.transport = transport; },
      "tcp (default), tls or udp");
  point.add_option("--certificate", request.link.tls.certificate, "tls: this point's, PEM")
      ->type_name("FILE");
  point.add_option("--key", request.link.tls.key, "tls: its private key")->type_name("FILE");
  point.add_option("--authority", request.link.tls.authority, "tls: who signed the collector's")
      ->type_name("FILE");
  point
      .add_option("--spool", request.link.spool_folder,
                  "what the collector does not take waits here, and survives\n"
                  "a restart (default: in memory)")
      ->type_name("DIR");
  add_parsed(
      point, "--spool-size", "SIZE", parse_room,
      [&](std::size_t bytes) { request.link.spool_bytes = bytes; },
      "size of the spool; if full, the oldest is dropped (default 64MiB)");
  add_parsed(
      point, "--every", "TIME", parse_positive_duration,
      [&](Duration every) { request.options.every = every; }, "between reports (default 10s)");
  add_parsed(
      point, "--enterprise", "NUMBER", parse_enterprise,
      [&](std::uint64_t number) {
        request.options.writer.enterprise = static_cast<std::uint32_t>(number);
      },
      "of our own information elements (default 32473)");
}

void add_measuring_options(CLI::App& point, PointRequest& request, PointWishes& wishes) {
  OnewayOptions& oneway = request.options.oneway;
  add_parsed(
      point, "--sampling", "SHARE", parse_sampling, [&](double share) { oneway.sampling = share; },
      "share of packets in flow records, the same packets at all\n"
      "points (default 0.01)");
  point.add_flag("--sample-flows", oneway.sample_flows, "select whole flows instead of packets");
  point
      .add_option("--secret-file", request.secret_file,
                  "the secret that all points share; without it anybody can\n"
                  "tell which packets are selected")
      ->type_name("FILE");
  add_parsed(
      point, "--active", "TIME", parse_positive_duration,
      [&](Duration time) { request.options.cache.active_timeout = time; },
      "a longer flow has a record this often (default 1min)");
  add_parsed(
      point, "--inactive", "TIME", parse_positive_duration,
      [&](Duration time) { request.options.cache.inactive_timeout = time; },
      "a flow that pauses for this long has ended (default 15s)");
  add_parsed(
      point, "--cache", "SIZE", parse_table_memory,
      [&](std::size_t bytes) { request.options.cache.memory_bytes = bytes; },
      "memory for flows (default 4MiB)");
  add_parsed(
      point, "--kind", "KINDS", parse_point_kinds, [&](KindSet kinds) { wishes.kinds = kinds; },
      "kinds of round trips to report, with commas between;\nnone for none (default: all but "
      "response and tls)");
  add_parsed(
      point, "--memory", "SIZE", parse_table_memory,
      [&](std::size_t bytes) { request.rtt_memory = bytes; },
      "memory for requests that wait (default 16MiB)");
  add_parsed(
      point, "--prefix", "LENGTH|host|port|flow", parse_group_choice,
      [&](std::size_t groups) { request.options.cells.prefix_length = groups; },
      "round trips by IPv4 prefixes of this length (IPv6: twice it),\n"
      "by host, server's port or flow, instead of all together");
}

constexpr std::string_view of_sending[] = {"--transport", "--certificate", "--key",
                                           "--authority", "--spool",       "--spool-size",
                                           "--enterprise"};
constexpr std::string_view of_collecting[] = {
    "--sampling", "--sample-flows", "--secret-file", "--active", "--inactive", "--cache",
    "--kind",     "--memory",       "--prefix",      "--engine", "--filter"};
constexpr std::string_view of_references[] = {
    "--every", "--reference-to", "--sender", "--capacity", "--flow-memory", "--flows", "--top"};

/// An option that this kind of point would not heed; empty if there is none.
std::string unheeded(const CLI::App& point, std::span<const std::string_view> options,
                     std::string_view kind, std::string_view of) {
  for (const std::string_view option : options)
    if (point.count(std::string{option}) > 0)
      return fmt::format("{} is for points {}, not for {}", option, of, kind);
  return {};
}

void refuse(const std::string& reason) {
  if (!reason.empty()) throw CLI::ValidationError(reason);
}

/// What the collector shall call it.
std::string fault_of_name(const CLI::App& point, const std::string& name) {
  if (point.count("--name") == 0) return "--name is required";
  if (name.size() > 64 || !ipfix::is_point_name(name))
    return "--name must have 1 to 64 printable characters, without spaces, ',' and ':'";
  return {};
}

/// To the collector, if there is one, of a point that counts marks or references.
std::optional<CollectorLinkOptions> link_of(PointRequest& request, const PointWishes& wishes,
                                            const CLI::App& point, std::string_view kind) {
  if (point.count("--to") == 0) {
    refuse(unheeded(point, of_sending, fmt::format("{} without it", kind), "with --to"));
    return std::nullopt;
  }
  refuse(complete_link(request, wishes, point));
  CollectorLinkOptions link = request.link;
  link.instance = request.options.point.instance;
  link.writer = request.options.writer;
  return link;
}

}  // namespace

void add_point(CLI::App& app, Run& run) {
  const auto request = std::make_shared<PointRequest>();
  const auto wishes = std::make_shared<PointWishes>();
  const auto references = std::make_shared<PointReferenceRequest>();
  const auto marking = std::make_shared<PointMarkingRequest>();
  request->options.oneway.sampling = 0.01;
  request->options.oneway.seed = random_seed();
  request->options.point.instance = random_seed() + 1;

  CLI::App& point = *app.add_subcommand(
      "point", "a live measurement point: flow records and round trips to a collector");
  point.footer(point_examples);
  point.get_formatter()->column_width(34);
  point.add_option("CAPTURE", request->capture, "a capture instead of -i; - is standard input")
      ->type_name("");
  point.add_option("-i,--interface", request->interface, "measure live on this interface")
      ->type_name("INTERFACE");
  point.add_option("--name", request->options.point.name, "its name at the collector")
      ->type_name("NAME");
  add_collector_options(point, *request, *wishes);
  add_measuring_options(point, *request, *wishes);
  add_engine(point, request->engine,
             "with -i: select in the kernel, from a socket, or auto: in the\n"
             "kernel if available (the default)");
  add_reference_options(point, *references);
  add_marking_point_options(point, *marking);
  point.add_option("--filter", request->filter, "only packets that match, in tcpdump's language")
      ->type_name("EXPRESSION");
  add_parsed(
      point, "--duration", "TIME", parse_positive_duration,
      [request](Duration time) { request->duration = time; }, "with -i: stop after this long");
  point.callback([request, wishes, references, marking, &point, &run] {
    marking->live.interface = request->interface;
    marking->name = request->options.point.name;
    marking->duration = request->duration;
    marking->json = references->json;
    refuse(complete_marking_request(*marking, point));
    if (marking->wanted() && references->wanted())
      refuse("marks and reference packets are for different points");
    if (marking->wanted()) {
      refuse(unheeded(point, of_collecting, "marks", "of flows and round trips"));
      refuse(unheeded(point, of_references, "marks", "with reference packets"));
      request->options.point.name = marking->name;
      marking->to = link_of(*request, *wishes, point, "marks");
      run = [marking] { return run_point_marking(*marking); };
      return;
    }
    references->interface = request->interface;
    references->every = request->options.every;
    references->duration = request->duration;
    refuse(complete_reference_request(*references, point));
    if (references->wanted()) {
      references->name = request->options.point.name;
      if (point.count("--to") > 0) refuse(fault_of_name(point, references->name));
      references->to = link_of(*request, *wishes, point, "reference packets");
      refuse(unheeded(point, of_collecting, "reference packets", "of flows and round trips"));
      run = [references] { return run_point_reference(*references); };
      return;
    }
    if (request->capture.empty() && request->interface.empty())
      refuse("nothing to measure: name -i INTERFACE or a capture");
    refuse(fault_of_name(point, request->options.point.name));
    refuse(complete_request(*request, *wishes, point));
    run = [request] { return run_point(*request); };
  });
}

}  // namespace sojourn
