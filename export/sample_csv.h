#pragma once
// Every sample as a line of CSV.

#include <span>
#include <string>
#include <vector>

#include "core/result.h"
#include "core/sample.h"
#include "core/sample_sink.h"

namespace sojourn {

/// Writes to a descriptor that it does not own:
///
///     time_ns,kind,leg,requester,requester_port,responder,responder_port,delay_ns,weight
///
/// header first.  Lines are gathered and written in large pieces.  The first failure is kept and
/// given by finish(); nothing is written after it, and failed() tells it early.
class SampleCsvWriter final : public SampleSink {
 public:
  explicit SampleCsvWriter(int descriptor);

  void take(std::span<const Sample> samples) override {
    for (const Sample& sample : samples) write(sample);
  }
  void write(const Sample& sample);
  bool failed() const { return !error_.empty(); }
  /// Writes what is left and tells whether everything arrived.
  Result<void> finish();

 private:
  void flush();

  int descriptor_;
  std::vector<char> buffer_;
  std::size_t used_ = 0;
  std::string error_;
};

}  // namespace sojourn
