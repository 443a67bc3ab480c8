#pragma once
// Round-trip delays of a slice of time as cells: sums that can be added up later.

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "collector/report/point_report.h"
#include "core/hash.h"
#include "core/sample_sink.h"

namespace sojourn {

struct CellOptions {
  Duration slice = std::chrono::seconds{10};
  /// Also by the responder's prefix of this length (IPv6: twice that); 0: all traffic together.
  std::size_t prefix_length = 0;
  std::size_t most_cells = 200'000;
};

/// Takes samples, gives cells.  Beyond `most_cells` samples of new cells are left out and counted.
class CellTable final : public SampleSink {
 public:
  explicit CellTable(const CellOptions& options) : options_(options) {}

  void take(std::span<const Sample> samples) override;

  /// What was added since the last time, in no particular order; a slice that goes on may have more
  /// for the same cell later, to be added.
  void move_to(std::vector<RttCell>& cells);

  std::uint64_t samples() const { return samples_; }
  std::uint64_t left_out() const { return left_out_; }

 private:
  struct Key {
    std::int64_t slice;
    std::int32_t bin;
    std::uint8_t kind, leg, group;
    IpAddress prefix;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const;
  };

  void add(const Sample& sample);

  CellOptions options_;
  std::unordered_map<Key, RttCell, KeyHash> cells_;
  std::uint64_t samples_ = 0, left_out_ = 0, strangers_ = 0;
};

}  // namespace sojourn
