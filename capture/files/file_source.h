#pragma once
// One capture: bytes from an input, packets by a decoder.

#include <atomic>
#include <memory>

#include "capture/capture_log.h"
#include "capture/decoder.h"
#include "capture/files/byte_input.h"
#include "capture/source.h"

namespace sojourn {

class FileSource final : public Source {
 public:
  /// Detects the format by the first bytes, which are waited for until `stop` turns true; without
  /// it, until a signal is handled.
  static Result<std::unique_ptr<Source>> open(std::unique_ptr<ByteInput> input,
                                              const std::string& name,
                                              std::shared_ptr<NameTable> interfaces = {},
                                              const std::atomic<bool>* stop = nullptr);

  Filled next(std::span<Packet> batch) override;
  bool bytes_stay() const override { return input_->bytes_stay(); }
  const SourceCounters& counters() const override { return log_->counters; }
  std::span<const std::string> warnings() const override { return log_->warnings; }
  double progress() const override { return input_->progress(); }

 private:
  FileSource(std::unique_ptr<ByteInput> input, std::unique_ptr<CaptureLog> log,
             std::unique_ptr<Decoder> decoder)
      : input_(std::move(input)), log_(std::move(log)), decoder_(std::move(decoder)) {}

  std::unique_ptr<ByteInput> input_;
  std::unique_ptr<CaptureLog> log_;  // on the heap: the decoder refers to it
  std::unique_ptr<Decoder> decoder_;
  bool ended_ = false;
};

}  // namespace sojourn
