// `sojourn collect`: from the sockets to the store, until somebody ends it.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "apps/commands.h"
#include "apps/option_helpers.h"
#include "apps/web_option.h"
#include "collector/collector.h"
#include "collector/store_flusher.h"
#include "console/drop_privileges.h"
#include "console/exit_status.h"
#include "console/interrupt.h"
#include "console/output.h"
#include "console/this_process.h"
#include "core/units.h"
#include "export/point/listener_report.h"
#include "export/run_words.h"
#include "ipfix/transport/listener.h"
#include "store/store.h"
#include "web/latest.h"
#include "web/listener_view.h"
#include "web/page_files.h"

namespace sojourn {

struct CollectRequest {
  ipfix::ListenerOptions listener;
  CollectorOptions collector;
  std::string store;
  std::string user;  ///< empty: stay who we are
  Duration flush_every = std::chrono::seconds{10};
  WebWishes web;
};

namespace {

ListenerFigures listener_figures(const ipfix::Listener& listener) {
  return {.counters = listener.counters(), .open_connections = listener.open_connections()};
}

Result<void> collect(const CollectRequest& request) {
  auto listener = ipfix::Listener::open(request.listener);
  if (!listener) return std::unexpected(listener.error());
  web::Metrics metrics{{.version = SOJOURN_VERSION}};
  std::unique_ptr<AlarmWatch> alarms;  // before the server, which shows them
  web::Latest<ListenerFigures> heard;  // likewise
  std::unique_ptr<web::WebServer> server;
  if (request.web.wanted) {
    web::WebOptions options = request.web.options;
    show_alarms(options, alarms);
    show_listener(options, [&heard] { return heard.get(); });
    auto opened = web::WebServer::open(options, metrics);
    if (!opened) return std::unexpected(opened.error());
    server = std::move(*opened);
  }
  if (auto dropped = drop_privileges(request.user); !dropped) return dropped;
  auto store = open_store(request.store);
  if (!store) return std::unexpected(store.error());
  CollectorOptions options = request.collector;
  options.keep_packets = (*store)->wants_packets();
  Collector collector{options};
  const auto ledgers = (*store)->ledgers();
  if (!ledgers) return std::unexpected(ledgers.error());
  collector.resume(*ledgers);
  StoreFlusher flusher{**store, request.store, [&](const StoreWrite& write) { metrics.add(write); },
                       warn};
  // A store that cannot be written to is told at once, not in ten seconds.
  if (auto written = flusher.flush(collector, wall_clock()); !written) return written;
  watch_for_interrupts();
  for (const ipfix::Endpoint& endpoint : request.listener.endpoints)
    complain(listening_line(endpoint.to_string()));
  auto alarming = start_alarms(request.web.alarms, request.store);
  if (!alarming) return std::unexpected(alarming.error());
  alarms = std::move(*alarming);
  if (server) {
    if (auto started = server->start(); !started) return started;
    complain(page_line(server->address(), web::has_page()));
  }

  Timestamp next_flush = wall_clock() + request.flush_every;
  auto next_figures = std::chrono::steady_clock::now();
  while (!interrupted()) {
    if (collector.congested())
      std::this_thread::sleep_for(std::chrono::milliseconds{100});  // the points spool meanwhile
    else
      (*listener)->poll(std::chrono::milliseconds{200}, [&](ipfix::Delivery& delivery) {
        if (!delivery.from_a_point) delivery.report.point = {"others", 0};
        collector.take(delivery.report, wall_clock());
      });
    const Timestamp now = wall_clock();
    collector.advance(now);
    for (const std::string& line : (*listener)->take_log()) warn(line);
    for (const std::string& line : collector.take_notices()) warn(line);
    // Once a second: the sum over all sessions costs more than a message.
    if (const auto turn = std::chrono::steady_clock::now(); server && turn >= next_figures) {
      heard.set(listener_figures(**listener));
      next_figures = turn + std::chrono::seconds{1};
    }
    // Who watches a marking point shall not wait for the next turn.
    if (!collector.has_news() && now < next_flush && next_flush - now <= request.flush_every)
      continue;
    (void)flusher.flush(collector, now);
    next_flush = now + request.flush_every;
  }
  const Timestamp now = wall_clock();
  collector.finish(now);
  auto written = flusher.flush(collector, now);
  say_text(listener_summary(listener_figures(**listener)));
  return written;
}

}  // namespace

static int run_collect(const CollectRequest& request) {
  const auto done = collect(request);
  if (done) return exit_ok;
  complain(done.error().message);
  return exit_error;
}

namespace {

constexpr const char* collect_examples = R"(Examples:
  sojourn collect --store sojourn.db                        points on this machine
  sojourn collect --listen 0.0.0.0 --store sojourn.db       ... and elsewhere, unprotected
  sojourn collect --tls 0.0.0.0 --certificate c.pem --key c.key --authority ca.pem
      --store sojourn.db                                    points with certificates only
  sojourn collect --store sojourn.db --path north,mid,south all traffic takes this way
  sojourn collect --store clickhouse://db1,db2/sojourn      more than one machine holds
  sojourn collect --store sojourn.db --web 8080             ... and a page to look at it
  sojourn collect --store sojourn.db --alarm "each oneway usual"   ... and alarms
  sojourn query sojourn.db --loss                           what it found
)";

Result<std::size_t> parse_waiting_memory(std::string_view text) {
  const auto size = parse_size(text);
  if (!size) return std::unexpected(size.error());
  if (*size < std::size_t{1} << 20) return failure("at least 1MiB is needed");
  return static_cast<std::size_t>(*size);
}

/// "north,mid,south": at least two different names.
Result<std::vector<std::string>> parse_point_names(std::string_view text) {
  std::vector<std::string> names;
  for (const std::string_view name : split_at_commas(text)) {
    names.emplace_back(name);
    if (names.back().empty() || std::count(names.begin(), names.end(), names.back()) > 1)
      return failure("a path is at least two different names of points: north,mid,south");
  }
  if (names.size() < 2)
    return failure("a path is at least two different names of points: north,mid,south");
  return names;
}

void add_endpoint(CLI::App& collect, CollectRequest& request, const char* option,
                  ipfix::Transport transport, const char* description) {
  add_parsed_list(
      collect, option, "ADDRESS[:PORT]",
      [transport](std::string_view text) {
        return ipfix::Endpoint::parse(text, transport, HostPort::Use::listen);
      },
      [&request](const ipfix::Endpoint& endpoint) {
        request.listener.endpoints.push_back(endpoint);
      },
      description);
}

}  // namespace

void add_collect(CLI::App& app, Run& run) {
  const auto request = std::make_shared<CollectRequest>();
  CLI::App& collect =
      *app.add_subcommand("collect", "receive from points, join what they saw, store it");
  collect.footer(collect_examples);
  collect.get_formatter()->column_width(34);
  add_endpoint(collect, *request, "--listen", ipfix::Transport::tcp,
               "TCP; repeatable (default 127.0.0.1:4739)");
  add_endpoint(collect, *request, "--udp", ipfix::Transport::udp, "UDP (default port 4739)");
  add_endpoint(collect, *request, "--tls", ipfix::Transport::tls,
               "TLS (default port 4740), with certificates both ways");
  collect.add_option("--certificate", request->listener.tls.certificate, "tls: our own, PEM")
      ->type_name("FILE");
  collect.add_option("--key", request->listener.tls.key, "tls: its private key")->type_name("FILE");
  collect.add_option("--authority", request->listener.tls.authority, "tls: who signed the points'")
      ->type_name("FILE");
  collect
      .add_option("--store", request->store,
                  "the file for the results, created if missing; or\n"
                  "clickhouse://HOST[:PORT][,HOST...]/DATABASE")
      ->type_name("STORE")
      ->required();
  add_parsed(
      collect, "--path", "NAMES", parse_point_names,
      [request](const std::vector<std::string>& path) { request->collector.path = path; },
      "points in a row, with commas: only these are joined, and a\n"
      "flow that the next one does not see is lost");
  add_parsed(
      collect, "--window", "TIME", parse_positive_duration,
      [request](Duration window) { request->collector.window = window; },
      "largest plausible delay, clocks included (default 10s)");
  add_parsed(
      collect, "--wait", "TIME", parse_positive_duration,
      [request](Duration wait) { request->collector.wait = wait; },
      "how long a record waits for its partner (default 60s)");
  add_parsed(
      collect, "--memory", "SIZE", parse_waiting_memory,
      [request](std::size_t bytes) { request->collector.memory_bytes = bytes; },
      "for records that wait (default 256MiB)");
  add_web_options(collect, request->web, "serve the page, its API and /metrics here");
  add_alarm_options(collect, request->web.alarms);
  collect.add_option("--user", request->user, "become this user once the ports are open")
      ->type_name("NAME");
  collect.callback([request, &collect, &run] {
    const bool tls = collect.count("--tls") > 0;
    for (const char* option : {"--certificate", "--key", "--authority"}) {
      if (tls && collect.count(option) == 0)
        throw CLI::ValidationError(fmt::format("--tls needs {}", option));
      if (!tls && collect.count(option) > 0)
        throw CLI::ValidationError(fmt::format("{} is for --tls", option));
    }
    if (!request->web.wanted)
      for (const char* option :
           {"--web-certificate", "--web-key", "--web-authority", "--web-token-file", "--insecure"})
        if (collect.count(option) > 0)
          throw CLI::ValidationError(fmt::format("{} is for --web", option));
    request->web.options.store = request->store;
    request->web.options.version = SOJOURN_VERSION;
    if (const auto reason = alarms_without_rules(collect); !reason.empty())
      throw CLI::ValidationError(reason);
    if (const auto complete = complete_web_options(request->web); !complete)
      throw CLI::ValidationError(complete.error().message);
    if (request->listener.endpoints.empty())
      request->listener.endpoints.push_back(ipfix::Endpoint{.host = "127.0.0.1"});
    run = [request] { return run_collect(*request); };
  });
}

}  // namespace sojourn
