#pragma once
// Where flow records come from and where they go: a file, a network, a store.

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "core/result.h"
#include "oneway/cnf/flow_record.h"

namespace sojourn {

/// Records in batches.  The virtual call is per batch.
class RecordSource {
 public:
  virtual ~RecordSource() = default;

  /// Fills `batch` from its front and returns the number; 0 when no record follows.  Must not be
  /// called again after an error.
  virtual Result<std::size_t> next(std::span<FlowRecord> batch) = 0;
};

/// Receives each record of a point as soon as it is complete.
class RecordSink {
 public:
  virtual ~RecordSink() = default;

  virtual void take(std::span<const FlowRecord> records) = 0;
};

/// All records of a source, for a collector that needs them together.
inline Result<std::vector<FlowRecord>> all_records(RecordSource& source) {
  std::vector<FlowRecord> records;
  std::array<FlowRecord, 256> batch;
  while (true) {
    const auto count = source.next(batch);
    if (!count) return std::unexpected(count.error());
    if (*count == 0) return records;
    records.insert(records.end(), batch.begin(),
                   batch.begin() + static_cast<std::ptrdiff_t>(*count));
  }
}

}  // namespace sojourn
