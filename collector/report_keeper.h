#pragma once
// A thread that brings reports of this process to its store.

#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <utility>

#include "collector/collector.h"
#include "collector/report_queue.h"
#include "collector/store_flusher.h"
#include "core/time.h"

namespace sojourn {

/// Runs until it is destroyed, and then stores what still waits in the queue.  Nobody else may use
/// the collector and the flusher meanwhile.
class ReportKeeper {
 public:
  using Clock = std::function<Timestamp()>;
  /// `log` is given the collector's notices, on this thread.
  ReportKeeper(Collector& collector, StoreFlusher& flusher, ReportQueue& queue, Clock clock,
               std::function<void(const std::string&)> log)
      : collector_(collector),
        flusher_(flusher),
        queue_(queue),
        clock_(std::move(clock)),
        log_(std::move(log)),
        thread_([this] { run(); }) {}
  ~ReportKeeper() {
    stopping_ = true;
    thread_.join();
  }
  ReportKeeper(const ReportKeeper&) = delete;
  ReportKeeper& operator=(const ReportKeeper&) = delete;

 private:
  void run() {
    while (true) {
      const bool last = stopping_;  // before the queue is looked at: it may still be filled
      const auto reports = queue_.take();
      const Timestamp now = clock_();
      for (const PointReport& report : reports) collector_.take(report, now);
      for (const std::string& line : collector_.take_notices()) log_(line);
      if (!reports.empty()) (void)flusher_.flush(collector_, now);
      if (last) return;
      std::this_thread::sleep_for(std::chrono::milliseconds{100});
    }
  }

  Collector& collector_;
  StoreFlusher& flusher_;
  ReportQueue& queue_;
  Clock clock_;
  std::function<void(const std::string&)> log_;
  std::atomic<bool> stopping_ = false;
  std::thread thread_;  // the last member: it uses the others
};

}  // namespace sojourn
