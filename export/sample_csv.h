#pragma once
// Every sample as a line of CSV.

#include <span>
#include <vector>

#include "core/sample.h"
#include "core/sample_sink.h"
#include "export/files/output_file.h"

namespace sojourn {

/// Writes to a borrowed file:
///
///     time_ns,kind,leg,requester,requester_port,responder,responder_port,delay_ns,weight
///
/// header first.  Lines are buffered and written in large pieces.  The file remembers whether all
/// of them were written.
class SampleCsvWriter final : public SampleSink {
 public:
  explicit SampleCsvWriter(OutputFile& file);

  void take(std::span<const Sample> samples) override {
    for (const Sample& sample : samples) write(sample);
  }
  void write(const Sample& sample);
  /// Writes the rest.
  void flush();

 private:
  OutputFile& file_;
  std::vector<char> buffer_;
  std::size_t used_ = 0;
};

}  // namespace sojourn
