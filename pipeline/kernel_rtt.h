#pragma once
// Round trips measured in the kernel: reads the samples from its ring, weights and adds them up.
//
//     program in the kernel -> ring -> weight -> measurement (and the consumer of samples)

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/sample.h"
#include "core/sample_sink.h"
#include "dataplane/attachment.h"
#include "dataplane/kernel_program.h"
#include "dataplane/sample_weight.h"
#include "estimate/anonymizer.h"
#include "estimate/measurement.h"
#include "pipeline/kernel_plan.h"
#include "pipeline/live_loop.h"
#include "pipeline/rtt_options.h"
#include "pipeline/time_span.h"
#include "wire/skip.h"

namespace sojourn {

struct KernelRttOptions {
  RttOptions rtt;
  std::vector<std::string> interfaces;
  Hook hook = Hook::tc;
  std::size_t memory_bytes = default_live_memory;  ///< of everything kept in the kernel
  unsigned fridges = DP_MOST_FRIDGES;
  Duration longest = std::chrono::seconds{10};
  std::optional<double> entry_probability = {};
  std::optional<double> most_samples = {};  ///< a second
  bool histograms = false;                  ///< added up in the kernel, not delivered one by one
};

/// A quarter of the memory is for connections, and as much for the ring; waiting requests get the
/// rest, less what is stored beside the connections.  With histograms, these come first, and
/// requests get nearly two thirds of the rest.
DataplaneOptions dataplane_options(const KernelRttOptions& options);

/// What histograms need, and the same amount for everything else.
std::size_t least_memory(const KernelRttOptions& options);

/// One run: call `step` in a loop.
class KernelRtt {
 public:
  /// Loads the program and attaches it.  Privileges are needed here and nowhere else.  `sink` gets
  /// the samples of each step and must outlive this object.
  static Result<KernelRtt> open(const KernelRttOptions& options, SampleSink* sink = nullptr);

  /// Processes what came.  If nothing came and it may wait, waits some milliseconds.  False when
  /// the interfaces are gone.
  bool step(bool may_nap = true);
  /// Calls step() until the interfaces are gone, `stop` turns true, or `go_on` returns false.
  void run(const std::atomic<bool>& stop, const GoOn& go_on);

  /// Includes the requests that the kernel has counted so far.
  const Measurement& measurement();
  /// The figures since the last call, or the start.  Not with histograms, which count from the
  /// start.
  Measurement take_interval();
  bool has_histograms() const { return program_.config().bins > 0; }
  const TimeSpan& time_span() const { return time_span_; }
  SkipCounters skipped() const;
  dp_counters counters() const { return program_.counters(); }
  /// "tc (tcx) on eth0".
  std::string how() const;
  const std::vector<std::string>& warnings() const { return warnings_; }
  std::vector<std::pair<std::string, std::uint64_t>> table_counters() const;
  std::size_t table_bytes() const;
  std::size_t connection_bytes() const;
  std::size_t kernel_bytes() const { return program_.memory_bytes(); }
  /// Nanoseconds per packet in the program, as the kernel measured in the first second.
  std::optional<double> cost_ns() const;
  double entry_probability() const { return plan_.entry_probability(); }

 private:
  KernelRtt(const KernelRttOptions& options, KernelProgram program, SampleSink* sink);

  void take(const dp_sample& found);
  void add_ambiguous(Kind kind, double weight);
  void put_requests(const dp_counters& counters);
  void look_after(Timestamp now);

  RttOptions options_;
  KernelProgram program_;
  SampleWeight weight_;
  KernelPlan plan_;
  MeasurementOptions measurement_options_;
  Measurement measurement_;
  dp_counters taken_{};  ///< counts at the end of the last interval
  SampleSink* sink_;
  std::vector<Sample> found_;  ///< in this step, for the sink
  std::optional<Anonymizer> anonymizer_;
  std::vector<Attachment> attachments_;
  std::vector<std::string> warnings_;
  UniqueFd run_time_;  ///< while it is open, the kernel measures what the program costs
  TimeSpan time_span_;
  Duration clock_offset_{0};
  std::uint64_t too_old_ = 0;
  std::optional<Timestamp> started_, looked_;
  bool gone_ = false;
};

}  // namespace sojourn
