#include "apps/point/collector_link.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "apps/commands.h"
#include "console/output.h"
#include "core/units.h"
#include "export/point/point_text.h"

namespace sojourn {

using namespace std::chrono_literals;

void note_files_of(const CollectorLinkOptions& options, RunFiles& files) {
  for (const std::string* path :
       {&options.tls.certificate, &options.tls.key, &options.tls.authority})
    files.reads(*path);
  if (options.spool_folder.empty()) return;
  for (const std::string& path : ipfix::Spool::files_in(options.spool_folder)) files.reads(path);
}

Result<std::unique_ptr<CollectorLink>> CollectorLink::open(const CollectorLinkOptions& options) {
  std::unique_ptr<CollectorLink> link{new CollectorLink{options}};
  if (!options.spool_folder.empty())
    if (auto made = make_folder(options.spool_folder); !made) return std::unexpected(made.error());
  auto spool = ipfix::Spool::open({options.spool_folder, options.spool_bytes, options.instance});
  if (!spool) return std::unexpected(spool.error());
  link->spool_ = std::move(*spool);
  ipfix::ExporterOptions exporting;
  exporting.collector = options.collector;
  exporting.tls = options.tls;
  exporting.writer = options.writer;
  auto exporter = ipfix::Exporter::open(exporting, *link->spool_);
  if (!exporter) return std::unexpected(exporter.error());
  link->exporter_ = std::move(*exporter);
  return link;
}

void CollectorLink::say_log() {
  for (const std::string& line : exporter_->take_log()) warn(line);
}

bool CollectorLink::send_the_rest(std::chrono::milliseconds patience,
                                  const std::function<void()>& report) {
  using SteadyClock = std::chrono::steady_clock;
  const auto end = SteadyClock::now() + patience;
  exporter_->wake();
  while (!spool_->counters().empty() && SteadyClock::now() < end) std::this_thread::sleep_for(5ms);
  if (!spool_->counters().empty()) return exporter_->finish(0s);
  const std::uint64_t lost = spool_->counters().discarded.messages;
  report();
  if (spool_->counters().discarded.messages > lost) {
    // Sent messages fill the disk.  The counters are more important: without them, discarded
    // records are in no ledger.
    spool_->forget_sent();
    report();
  }
  return exporter_->finish(std::min<std::chrono::milliseconds>(patience, 10s));
}

std::string CollectorLink::summary(const std::string& name, std::uint64_t packets) const {
  return counting_point_summary(name, packets, options_.collector, spool_->counters());
}

Result<void> CollectorLink::account_for_the_rest(bool all_sent) {
  if (all_sent) {
    spool_->forget_sent();
    return {};
  }
  const ipfix::SpoolCounters counters = spool_->counters();
  const std::string collector = options_.collector.to_string();
  if (counters.empty()) {
    // All was sent, and the session broken off: by a collector that was killed, or refuses us.
    const std::string what = collector + " did not take what was sent last";
    if (options_.spool_folder.empty())
      return failure(what + ", which is lost; --spool DIR keeps it");
    warn(fmt::format("{}; it waits in {} for the next start", what, options_.spool_folder));
    return {};
  }
  if (counters.waiting.records == 0 && options_.spool_folder.empty())
    return failure(collector +
                   " did not take the last reports, which are lost; is a collector "
                   "there? --spool DIR keeps them");
  if (options_.spool_folder.empty())
    return failure(fmt::format("{} did not take {} records, which are lost; --spool DIR keeps them",
                               collector, format_count(counters.waiting.records)));
  warn(fmt::format("{} did not take {} records; they wait in {} for the next start", collector,
                   format_count(counters.waiting.records + counters.left_over_waiting.records),
                   options_.spool_folder));
  return {};
}

}  // namespace sojourn
