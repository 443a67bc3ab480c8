// `sojourn point --mark`, `--observe` and `--restore`: from loading the program to the last
// interval.

#include "apps/point/point_marking.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "apps/commands.h"
#include "apps/point/point_clock.h"
#include "capture/live/privileges.h"
#include "console/interrupt.h"
#include "console/output.h"
#include "console/this_process.h"
#include "export/files/run_files.h"
#include "export/marking/marking_remarks.h"
#include "export/marking/marking_report_csv.h"
#include "export/marking/marking_report_text.h"
#include "pipeline/point/marking_reports.h"

namespace sojourn {
namespace {

class MarkingLoop {
 public:
  /// `link` may be nullptr.
  MarkingLoop(const PointMarkingRequest& request, LiveMarking& live, LineFile records,
              CollectorLink* link)
      : request_(request),
        live_(live),
        records_(std::move(records)),
        link_(link),
        who_{request.name,
             request.live.program.duty,
             request.live.program.setup,
             request.clock_error,
             live.since(),
             request.live.program.copies} {
    if (link_) reports_.emplace(reports_of(request, who_), link_->spool());
  }

  Result<void> run() {
    using namespace std::chrono_literals;
    const auto began = std::chrono::steady_clock::now();
    const Duration length = who_.setup.length.length();
    if (auto begun = records_.begin(marking_csv_header); !begun) return of_records(begun);
    if (!quiet() && !request_.json)
      say_text(
          marking_heading(who_, request_.live.interface, request_.live.direction, live_.how()));
    while (!interrupted() &&
           (!request_.duration || std::chrono::steady_clock::now() - began < *request_.duration)) {
      const Duration until = difference(live_.next_due(), live_.now());
      std::this_thread::sleep_for(std::clamp<Duration>(std::min(until, length / 4), 100us, 100ms));
      if (auto told = tell(live_.advance()); !told) return told;
      if (link_) {
        if (reports_->advance(wall_clock(), left_alone())) link_->exporter().wake();
        link_->say_log();
      }
      if (live_.interface_is_gone())
        return failure(request_.live.interface + ": the interface is gone");
    }
    if (auto told = tell(live_.finish()); !told) return told;
    if (link_) reports_->finish(wall_clock(), left_alone());
    if (!quiet() && !request_.json) say_text(left_alone_text(who_, live_.program().left_alone()));
    return {};
  }

  /// To the collector, and the last words about it.
  Result<void> send_the_rest() {
    using namespace std::chrono_literals;
    const bool all_sent =
        link_->send_the_rest(5s, [&] { reports_->report(wall_clock(), left_alone()); });
    link_->say_log();
    if (request_.records != "-" && !request_.json)
      say_text(link_->summary(who_.point, reports_->packets()));
    return link_->account_for_the_rest(all_sent);
  }

 private:
  /// Nobody reads a table beside what the collector gets.
  bool quiet() const { return request_.records == "-" || (link_ && !request_.json); }
  std::uint64_t left_alone() const { return live_.program().left_alone().total(); }
  static MarkingReportsOptions reports_of(const PointMarkingRequest& request,
                                          const MarkingReporter& who) {
    MarkingReportsOptions options{.point = {who.point, request.to->instance},
                                  .run = {},
                                  .setup = who.setup,
                                  .writer = request.to->writer};
    options.run = {.duty = std::string{name_of(who.duty)},
                   .method = std::string{name_of(who.setup.method)},
                   .carrier = who.setup.carrier.name(),
                   .exponent = who.setup.length.exponent(),
                   .clock_error = who.clock_error,
                   .since = who.since,
                   .copies = who.copies};
    return options;
  }
  static Result<void> of_records(const Result<void>& refused) {
    return std::unexpected(refused.error().while_doing("--records"));
  }
  Result<void> tell(const std::vector<MarkingReport>& reports) {
    for (const MarkingReport& report : reports) {
      if (auto written = records_.write(marking_csv(who_, report)); !written) {
        if (records_.reader_gone() && quiet()) end_for_lack_of_readers();  // as behind `| head`
        return of_records(written);
      }
      if (reports_) reports_->take(report);
      if (!quiet())
        say_text(request_.json ? marking_json(who_, report) : marking_text(who_, report));
      for (const std::string& remark : remarks_.of(report)) warn(remark);
    }
    return {};
  }

  const PointMarkingRequest& request_;
  LiveMarking& live_;
  LineFile records_;
  CollectorLink* link_;
  MarkingReporter who_;
  std::optional<MarkingReports> reports_;
  MarkingRemarks remarks_{who_};
};

Result<void> mark_at_point(PointMarkingRequest request) {
  const auto stated = stated_clock_error();
  if (!request.clock_error) request.clock_error = stated;
  request.live.clock_error = request.clock_error.value_or(Duration{});
  RunFiles files;
  if (request.to) note_files_of(*request.to, files);
  LineFile records;
  if (!request.records.empty()) {
    auto opened = files.open_lines(request.records);
    if (!opened) return std::unexpected(opened.error().while_doing("--records"));
    records = std::move(*opened);
  }
  if (request.records != "-")
    if (auto opened = open_output(files); !opened) return opened;
  std::unique_ptr<CollectorLink> link;
  if (request.to) {
    auto opened = CollectorLink::open(*request.to);
    if (!opened) return std::unexpected(opened.error());
    link = std::move(*opened);
  }
  watch_for_interrupts();
  auto live = LiveMarking::start(request.live);
  if (!live) return failure(with_capability_advice(live.error().message));
  if (!request.clock_error)
    warn("this machine's clock is not synchronised; --clock-error TIME states its possible error");
  // All is open that needs them, and reading the counters needs none.
  if (auto dropped = drop_privileges(); !dropped) return dropped;
  if (link) link->exporter().start();
  MarkingLoop loop{request, *live, std::move(records), link.get()};
  const auto done = loop.run();
  if (!link) return done;
  const auto sent = loop.send_the_rest();
  return done ? sent : done;
}

}  // namespace

int run_point_marking(const PointMarkingRequest& request) {
  const auto done = mark_at_point(request);
  if (done) return exit_ok;
  complain(done.error().message);
  return exit_error;
}

}  // namespace sojourn
