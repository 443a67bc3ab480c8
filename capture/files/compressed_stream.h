#pragma once
// What decompressors share: the compressed bytes behind them, and how they end.

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "capture/files/byte_stream.h"

namespace sojourn {

class CompressedStream : public ByteStream {
 public:
  double progress() const override { return compressed_->progress(); }
  const std::string& trouble() const override { return trouble_; }

 protected:
  explicit CompressedStream(std::unique_ptr<ByteInput> compressed)
      : compressed_(std::move(compressed)) {}

  Window window() const { return compressed_->window(); }
  void consume(std::size_t bytes) { compressed_->consume(bytes); }

  /// Asks for more compressed bytes.  nullopt: the window has changed; otherwise what read() gives
  /// back for now.
  std::optional<Got> refill() {
    switch (compressed_->refill(1)) {
      case ByteInput::Refill::idle:
        return Got{0, Status::idle};
      case ByteInput::Refill::interrupted:
        return Got{0, Status::interrupted};
      case ByteInput::Refill::changed:
        break;
    }
    return std::nullopt;
  }

  /// There are no more compressed bytes; `whole`: what they hold is complete.
  Got finish(bool whole, std::string_view format) {
    if (!compressed_->trouble().empty())
      trouble_ = compressed_->trouble();
    else if (!whole)
      trouble_ = std::string{format} + " data end too early";
    return {0, Status::end};
  }

  std::string trouble_;

 private:
  std::unique_ptr<ByteInput> compressed_;
};

}  // namespace sojourn
