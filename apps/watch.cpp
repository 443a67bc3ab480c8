// `sojourn watch`: measure, store and show, in one process.

#include <CLI/CLI.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "apps/commands.h"
#include "apps/option_helpers.h"
#include "apps/web_option.h"
#include "capture/filtered_source.h"
#include "capture/live/live_source.h"
#include "capture/live/privileges.h"
#include "collector/collector.h"
#include "collector/report_keeper.h"
#include "collector/report_queue.h"
#include "collector/store_flusher.h"
#include "console/drop_privileges.h"
#include "console/interrupt.h"
#include "console/output.h"
#include "console/this_process.h"
#include "export/files/run_files.h"
#include "export/point/watch_report.h"
#include "export/run_words.h"
#include "pipeline/point/local_point.h"
#include "pipeline/skipped_packets.h"
#include "web/latest.h"
#include "web/page_files.h"
#include "web/web_server.h"

namespace sojourn {

struct WatchRequest {
  std::string interface, filter;
  std::string store = "sojourn.db";
  std::optional<Duration> duration;
  LocalPointOptions point;
  WebWishes web;
};

namespace {

using namespace std::chrono_literals;

WatchFigures figures_of(const WatchRequest& request, const LocalPoint& point,
                        const Source& source) {
  return {.interface = request.interface,
          .packets = point.packets(),
          .dropped_by_kernel = source.counters().kernel_drops,
          .skipped = skipped_packets({}, point.pipeline().skipped()),
          .samples = point.samples(),
          .samples_left_out = point.samples_left_out(),
          .busy = thread_time(),
          .table_bytes = point.memory_bytes()};
}

/// True if it ended before anybody wanted that.
bool measure(const WatchRequest& request, Source& source, ReportQueue& reports,
             web::Latest<std::optional<WatchFigures>>& figures) {
  LocalPoint point{request.point};
  const auto began = std::chrono::steady_clock::now();
  const GoOn go_on = [&] {
    return !request.duration || std::chrono::steady_clock::now() - began < *request.duration;
  };
  const bool is_over = point.run(source, interrupted(), go_on, wall_clock, [&](PointReport report) {
    reports.put(std::move(report));
    WatchFigures now = figures_of(request, point, source);
    now.reports_thrown_away = reports.thrown_away();
    figures.set(std::move(now));
  });
  say_text(watch_text(figures_of(request, point, source)));
  return is_over;
}

/// Why a live source has ended: "eth0: the interface is gone".
std::string last_words_of(const Source& source) {
  const auto said = source.warnings();
  return said.empty() ? "there is nothing more to measure" : said.back();
}

Result<void> watch(const WatchRequest& request) {
  RunFiles files;
  files.reads(request.store);
  note_files_of(request.web, files);
  if (auto opened = open_output(files); !opened) return opened;
  auto source = open_interfaces({.interfaces = {request.interface}});
  if (source && !request.filter.empty())
    source = FilteredSource::open(std::move(*source), request.filter);
  if (!source) return failure(with_capability_advice(source.error().message));
  web::Metrics metrics{{.version = SOJOURN_VERSION}};
  ReportQueue reports;
  web::Latest<std::optional<WatchFigures>> figures;  // as of the last report
  web::WebOptions options = request.web.options;
  options.process = [&figures] { return watch_json(figures.get()); };
  std::unique_ptr<AlarmWatch> alarms;  // before the server, which shows them
  show_alarms(options, alarms);
  auto server = web::WebServer::open(options, metrics);
  if (!server) return std::unexpected(server.error());
  auto store = open_store(request.store);
  if (!store) return std::unexpected(store.error());
  CollectorOptions collecting;
  collecting.memory_bytes = std::size_t{1} << 20;  // no record waits for a partner here
  Collector collector{collecting};
  const auto ledgers = (*store)->ledgers();
  if (!ledgers) return std::unexpected(ledgers.error());
  collector.resume(*ledgers);
  StoreFlusher flusher{**store, request.store, [&](const StoreWrite& write) { metrics.add(write); },
                       warn};
  if (auto written = flusher.flush(collector, wall_clock()); !written) return written;
  // Everything that needs privileges is open, no packet has been read, and there is one thread yet.
  // The file keeps its owner: the thread that answers queries opens it again.
  if (auto dropped = drop_privileges(std::string{}); !dropped) return dropped;
  watch_for_interrupts();
  auto alarming = start_alarms(request.web.alarms, request.store);
  if (!alarming) return std::unexpected(alarming.error());
  alarms = std::move(*alarming);
  if (auto started = (*server)->start(); !started) return started;
  complain(watching_line(request.interface, request.store));
  complain(page_line((*server)->address(), web::has_page()));
  const ReportKeeper keeper{collector, flusher, reports, wall_clock, warn};
  if (measure(request, **source, reports, figures)) return failure(last_words_of(**source));
  return {};
}

}  // namespace

static int run_watch(const WatchRequest& request) {
  const auto done = watch(request);
  if (done) return exit_ok;
  complain(done.error().message);
  return exit_error;
}

namespace {

constexpr const char* watch_examples = R"(Examples:
  sudo sojourn watch -i eth0                     then open http://127.0.0.1:8080/
  sudo sojourn watch -i eth0 --store day.db --kind tcp,dns
  sudo sojourn watch -i eth0 --web 192.0.2.1:8443 --web-certificate c.pem --web-key c.key
      --web-token-file token                     for other machines
  sudo sojourn watch -i eth0 --prefix host       who, down to each host
  sudo sojourn watch -i eth0 --prefix flow       ... and to each port and flow
  sojourn query sojourn.db --by prefix/24        the same on the terminal
)";

}  // namespace

void add_watch(CLI::App& app, Run& run) {
  const auto request = std::make_shared<WatchRequest>();
  const auto kinds = std::make_shared<KindSet>(KindSet::usual());
  const auto memory = std::make_shared<std::size_t>(std::size_t{16} << 20);
  request->point.cells.prefix_length = 24;
  CLI::App& watch =
      *app.add_subcommand("watch", "measure an interface, keep it, and show it on a page");
  watch.footer(watch_examples);
  watch.get_formatter()->column_width(34);
  watch.add_option("-i,--interface", request->interface, "measure live on this interface")
      ->type_name("INTERFACE")
      ->required();
  watch
      .add_option("--store", request->store,
                  "the file for the results, created if missing\n(default sojourn.db)")
      ->type_name("FILE");
  watch.add_option("--filter", request->filter, "only packets that match, in tcpdump's language")
      ->type_name("EXPRESSION");
  add_parsed(
      watch, "--kind", "KINDS", parse_point_kinds, [kinds](KindSet set) { *kinds = set; },
      "kinds of round trips, with commas between\n(default: all but response and tls)");
  add_parsed(
      watch, "--memory", "SIZE", parse_table_memory,
      [memory](std::size_t bytes) { *memory = bytes; },
      "memory for requests that wait (default 16MiB)");
  add_parsed(
      watch, "--prefix", "LENGTH|host|port|flow", parse_group_choice,
      [request](std::size_t groups) { request->point.cells.prefix_length = groups; },
      "keep IPv4 prefixes of this length apart, IPv6 of twice it;\nor each address, server's port "
      "or flow (default 24)");
  add_parsed(
      watch, "--duration", "TIME", parse_positive_duration,
      [request](Duration time) { request->duration = time; }, "stop after this long");
  add_web_options(watch, request->web,
                  "serve the page, its API and /metrics here\n(default 127.0.0.1:8080)");
  add_alarm_options(watch, request->web.alarms);
  watch.callback([request, kinds, memory, &watch, &run] {
    if (kinds->empty()) throw CLI::ValidationError("--kind none leaves nothing to measure");
    const auto table = choose_table({.memory_bytes = *memory});
    if (!table) throw CLI::ValidationError("--memory: " + std::string{reason_of(table.error())});
    request->point.rtt.kinds = *kinds;
    request->point.rtt.table = *table;
    request->point.rtt.seed = random_seed();
    request->point.point = {request->interface, random_seed() + 1};
    request->web.options.store = request->store;
    request->web.options.version = SOJOURN_VERSION;
    if (const auto reason = alarms_without_rules(watch); !reason.empty())
      throw CLI::ValidationError(reason);
    if (const auto complete = complete_web_options(request->web); !complete)
      throw CLI::ValidationError(complete.error().message);
    run = [request] { return run_watch(*request); };
  });
}

}  // namespace sojourn
