#pragma once
// Looks for signs of loss in packets, besides the measurement of delays; exists only with --loss.

#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/address.h"
#include "estimate/anonymizer.h"
#include "estimate/loss_tally.h"
#include "pipeline/rtt_options.h"
#include "pipeline/sample_marks.h"
#include "roundtrip/loss/loss_tracker.h"
#include "roundtrip/pair_event.h"
#include "roundtrip/pair_table.h"
#include "wire/summary.h"

namespace sojourn {

class LossObserver {
 public:
  explicit LossObserver(const RttOptions& options);

  void look_at(std::span<const Summary> batch);

  /// Requests and answers have to be reported to it.
  bool wants_requests() const { return tally_.wants_requests(); }
  void asked(const PairEvent& request, const Summary& packet);
  void answered(const PairEvent& response, const Match& match, const Summary& packet);

  const LossTally& tally() const { return tally_; }
  LossTally& tally() { return tally_; }
  /// The counts since the last call; connections are still followed.
  LossTally take_tally() { return std::exchange(tally_, LossTally{tally_.options()}); }
  double followed_share() const { return tracker_.followed_share(); }

 private:
  Sample described(const PairEvent& event, const Match& match, const Summary& packet);
  Sample ends_of(const Summary& packet, bool to_server);

  LossTracker tracker_;
  LossTally tally_;
  std::vector<Prefix> inside_;
  std::optional<Anonymizer> anonymizer_;
  std::unique_ptr<SampleMarks> marks_;
};

}  // namespace sojourn
