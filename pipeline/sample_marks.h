#pragma once
// What groups need of a packet besides its two ends: its tunnel or interface, and the question that
// it asks or answers.  Exists only with such a --by.

#include <functional>
#include <memory>

#include "core/hash.h"
#include "core/sample.h"
#include "estimate/grouping.h"
#include "pipeline/rtt_options.h"
#include "roundtrip/pair_event.h"
#include "wire/summary.h"

namespace sojourn {

class SampleMarks {
 public:
  /// null if no such group is wanted.
  static std::unique_ptr<SampleMarks> make(const RttOptions& options);

  /// Its tunnel or interface.
  void put_way(const Summary& packet, Sample& sample) const;
  /// The same, and the question if the event is about one.
  void put(const PairEvent& event, const Summary& packet, Sample& sample) const;

 private:
  SampleMarks(const RttOptions& options);
  void put_question(const PairEvent& event, const Summary& packet, Sample& sample) const;

  Grouping grouping_;
  HashKey key_;
  std::function<IpAddress(const IpAddress&)> hidden_;  ///< of a tunnel's ends, with --anonymize
};

}  // namespace sojourn
