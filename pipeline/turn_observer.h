#pragma once
// Measures the kinds response and tls, whose requests do not wait in a table; exists only if
// requested.

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "estimate/anonymizer.h"
#include "estimate/measurement.h"
#include "pipeline/held_samples.h"
#include "pipeline/rtt_options.h"
#include "pipeline/sample_marks.h"
#include "roundtrip/turns/turn_tracker.h"
#include "wire/summary.h"

namespace sojourn {

class TurnObserver {
 public:
  static bool is_wanted(const RttOptions& options) {
    return options.kinds.has(Kind::response) || options.kinds.has(Kind::tls);
  }
  explicit TurnObserver(const RttOptions& options);

  /// Samples go into `measurement` and, if requested, are appended to `samples`.
  void look_at(std::span<const Summary> batch, Measurement& measurement,
               std::vector<PlacedSample>& samples);

  bool is_full() const { return tracker_.is_full(); }
  std::size_t memory_bytes() const { return tracker_.memory_bytes(); }

 private:
  void process(std::span<const Summary> batch, Measurement& measurement,
               std::vector<PlacedSample>& samples);
  void count(Kind kind, Measurement& measurement);

  RttOptions options_;
  TurnTracker tracker_;
  bool describes_samples_;  ///< addresses are needed
  std::optional<Anonymizer> anonymizer_;
  std::unique_ptr<SampleMarks> marks_;
};

}  // namespace sojourn
