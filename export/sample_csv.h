#pragma once
// Every sample as a line of CSV.

#include <span>
#include <vector>

#include "core/sample.h"
#include "core/sample_sink.h"
#include "export/files/output_file.h"

namespace sojourn {

/// Writes to a file that it borrows:
///
///     time_ns,kind,leg,requester,requester_port,responder,responder_port,delay_ns,weight
///
/// header first.  Lines are gathered and written in large pieces.  The file remembers whether all
/// of them arrived.
class SampleCsvWriter final : public SampleSink {
 public:
  explicit SampleCsvWriter(OutputFile& file);

  void take(std::span<const Sample> samples) override {
    for (const Sample& sample : samples) write(sample);
  }
  void write(const Sample& sample);
  /// Hands on what is left.
  void flush();

 private:
  OutputFile& file_;
  std::vector<char> buffer_;
  std::size_t used_ = 0;
};

}  // namespace sojourn
