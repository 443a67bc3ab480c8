// `sojourn watch`: measure, store and show, in one process.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <chrono>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "apps/commands.h"
#include "apps/option_helpers.h"
#include "apps/web_option.h"
#include "capture/filtered_source.h"
#include "capture/live/live_source.h"
#include "capture/live/privileges.h"
#include "collector/collector.h"
#include "collector/store_flusher.h"
#include "console/drop_privileges.h"
#include "console/interrupt.h"
#include "console/output.h"
#include "export/files/run_files.h"
#include "export/point/watch_report.h"
#include "pipeline/point/local_point.h"
#include "pipeline/skipped_packets.h"
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

Timestamp wall_clock() {
  return std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
}

/// What the thread that measures tells the others.
class Handover {
 public:
  void put(PointReport report, WatchFigures figures) {
    const std::lock_guard lock{mutex_};
    // The store does not keep up, or cannot be written to: the oldest cells go, and are counted.
    if (reports_.size() >= most_reports) {
      ++thrown_away_;
      reports_.pop_front();
    }
    reports_.push_back(std::move(report));
    figures.reports_thrown_away = thrown_away_;
    figures_ = std::move(figures);
  }
  std::deque<PointReport> take() {
    const std::lock_guard lock{mutex_};
    return std::exchange(reports_, {});
  }
  /// As of the last report.
  std::optional<WatchFigures> figures() const {
    const std::lock_guard lock{mutex_};
    return figures_;
  }

 private:
  static constexpr std::size_t most_reports = 720;
  mutable std::mutex mutex_;
  std::deque<PointReport> reports_;
  std::optional<WatchFigures> figures_;
  std::uint64_t thrown_away_ = 0;
};

/// Time that this thread has run.
Duration thread_time() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds{time.tv_sec} + std::chrono::nanoseconds{time.tv_nsec};
}

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
bool measure(const WatchRequest& request, Source& source, Handover& handover) {
  LocalPoint point{request.point};
  const auto began = std::chrono::steady_clock::now();
  const GoOn go_on = [&] {
    return !request.duration || std::chrono::steady_clock::now() - began < *request.duration;
  };
  const bool is_over = point.run(source, interrupted(), go_on, wall_clock, [&](PointReport report) {
    handover.put(std::move(report), figures_of(request, point, source));
  });
  say_text(watch_text(figures_of(request, point, source)));
  return is_over;
}

/// Reports to the store, until told to stop.
class Keeper {
 public:
  Keeper(Collector& collector, StoreFlusher& flusher, Handover& handover)
      : collector_(collector), flusher_(flusher), handover_(handover), thread_([this] { run(); }) {}
  ~Keeper() {
    stopping_ = true;
    thread_.join();
  }

 private:
  void run() {
    while (true) {
      const bool last = stopping_;
      auto reports = handover_.take();
      const Timestamp now = wall_clock();
      for (const PointReport& report : reports) collector_.take(report, now);
      for (const std::string& line : collector_.take_notices()) warn(line);
      if (!reports.empty()) (void)flusher_.flush(collector_, now);
      if (last) return;
      std::this_thread::sleep_for(100ms);
    }
  }

  Collector& collector_;
  StoreFlusher& flusher_;
  Handover& handover_;
  std::atomic<bool> stopping_ = false;
  std::thread thread_;
};

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
  Handover handover;
  web::WebOptions options = request.web.options;
  options.process = [&handover] { return watch_json(handover.figures()); };
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
  // All is open that needs them, no packet has been looked at, and there is one thread yet. Whoever
  // has the file stays its owner: the thread that answers opens it once more.
  if (auto dropped = drop_privileges(std::string{}); !dropped) return dropped;
  watch_for_interrupts();
  auto alarming = start_alarms(request.web.alarms, request.store);
  if (!alarming) return std::unexpected(alarming.error());
  alarms = std::move(*alarming);
  if (auto started = (*server)->start(); !started) return started;
  complain(fmt::format("measuring {}, keeping it in {}", request.interface, request.store));
  complain(web_line(**server));
  const Keeper keeper{collector, flusher, handover};
  if (measure(request, **source, handover)) return failure(last_words_of(**source));
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
                  "the file to keep it in; made if it is not there\n(default sojourn.db)")
      ->type_name("FILE");
  watch.add_option("--filter", request->filter, "only packets that match, in tcpdump's language")
      ->type_name("EXPRESSION");
  add_parsed(
      watch, "--kind", "KINDS", parse_point_kinds, [kinds](KindSet set) { *kinds = set; },
      "kinds of round trips, with commas between (default all)");
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
