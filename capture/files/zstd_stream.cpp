// RFC 8878 through libzstd.

#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>

#include "capture/files/compressed_stream.h"

namespace sojourn {
namespace {

class ZstdStream final : public CompressedStream {
 public:
  explicit ZstdStream(std::unique_ptr<ByteInput> compressed)
      : CompressedStream(std::move(compressed)),
        state_(::ZSTD_createDStream(), &::ZSTD_freeDStream) {
    if (state_ == nullptr) trouble_ = "cannot start zstd";
    // libzstd refuses windows of more than 128 MiB by default.  `zstd --long=31` makes windows of 2
    // GiB, of which only the part that the capture fills is touched.
    else if (::ZSTD_isError(
                 ::ZSTD_DCtx_setParameter(state_.get(), ZSTD_d_windowLogMax, largest_window_log)))
      trouble_ = "this libzstd cannot read large windows";
  }

  Got read(std::span<std::byte> room) override {
    if (!trouble_.empty()) return {0, Status::end};
    ZSTD_outBuffer output{room.data(), std::min(room.size(), most_at_once), 0};
    while (output.pos == 0) {
      const Window input = window();
      if (input.size() == 0 && !input.last) {
        if (const auto nothing_yet = refill()) return *nothing_yet;
        continue;
      }
      // At the end of the input, libzstd may still hold output for which there was no room.
      if (input.size() == 0 && !pending_) return finish(!inside_frame_, "zstd");
      ZSTD_inBuffer taken{input.begin, input.size(), 0};
      const std::size_t status = ::ZSTD_decompressStream(state_.get(), &output, &taken);
      consume(taken.pos);
      if (::ZSTD_isError(status)) {
        trouble_ = ::ZSTD_getErrorCode(status) == ZSTD_error_memory_allocation
                       ? "not enough memory: what zstd packed with a long window may need 2 GiB"
                       : std::string{"zstd data are damaged: "} + ::ZSTD_getErrorName(status);
        break;
      }
      inside_frame_ = status != 0;
      pending_ = output.pos == output.size;
    }
    return {output.pos, output.pos == 0 ? Status::end : Status::more};
  }

 private:
  static constexpr int largest_window_log = 31;
  /// With room for a whole frame libzstd decodes it in one step, and damage at its end would
  /// discard all of it.
  static constexpr std::size_t most_at_once = 64 * 1024;

  std::unique_ptr<ZSTD_DStream, std::size_t (*)(ZSTD_DStream*)> state_;
  bool inside_frame_ = false;
  bool pending_ = false;
};

}  // namespace

std::unique_ptr<ByteStream> zstd_stream(std::unique_ptr<ByteInput> compressed) {
  return std::make_unique<ZstdStream>(std::move(compressed));
}

}  // namespace sojourn
