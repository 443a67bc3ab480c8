// RFC 1952 through zlib.

#define ZLIB_CONST
#include <zlib.h>

#include <algorithm>
#include <limits>

#include "capture/files/byte_stream.h"

namespace sojourn {
namespace {

class GzipStream final : public ByteStream {
 public:
  explicit GzipStream(std::unique_ptr<ByteInput> compressed) : compressed_(std::move(compressed)) {
    constexpr int largest_window = 15, gzip_only = 16;
    ready_ = ::inflateInit2(&state_, largest_window + gzip_only) == Z_OK;
    if (!ready_) trouble_ = "cannot start zlib";
  }
  GzipStream(const GzipStream&) = delete;
  GzipStream& operator=(const GzipStream&) = delete;
  ~GzipStream() override {
    if (ready_) ::inflateEnd(&state_);
  }

  Got read(std::span<std::byte> room) override {
    if (!ready_) return {0, Status::end};
    state_.next_out = reinterpret_cast<Bytef*>(room.data());
    state_.avail_out = clipped(room.size());
    const auto room_size = state_.avail_out;
    while (state_.avail_out == room_size) {
      const Window input = compressed_->window();
      if (input.size() == 0 && !input.last) {
        const auto refill = compressed_->refill(1);
        if (refill == ByteInput::Refill::idle) return {0, Status::idle};
        if (refill == ByteInput::Refill::interrupted) return {0, Status::interrupted};
        continue;
      }
      if (input.size() == 0) return finish();
      // Tapes and block devices may leave zeros after the last member.
      if (between_members_ && *input.begin != first_magic_byte) return {0, Status::end};
      if (!inflate_some(input)) return {0, Status::end};
    }
    return {room_size - state_.avail_out, Status::more};
  }

  double progress() const override { return compressed_->progress(); }
  const std::string& trouble() const override { return trouble_; }

 private:
  static constexpr std::byte first_magic_byte{0x1f};

  static uInt clipped(std::size_t size) {
    return static_cast<uInt>(std::min<std::size_t>(size, std::numeric_limits<uInt>::max()));
  }

  /// False when the data are damaged before any output; earlier output is delivered.
  bool inflate_some(Window input) {
    state_.next_in = reinterpret_cast<const Bytef*>(input.begin);
    state_.avail_in = clipped(input.size());
    const auto offered = state_.avail_in;
    const auto room = state_.avail_out;
    const int status = ::inflate(&state_, Z_NO_FLUSH);
    compressed_->consume(offered - state_.avail_in);
    between_members_ = status == Z_STREAM_END;
    if (between_members_) ::inflateReset(&state_);
    if (status == Z_OK || status == Z_STREAM_END || status == Z_BUF_ERROR) return true;
    trouble_ =
        std::string{"gzip data are damaged: "} + (state_.msg ? state_.msg : "unknown reason");
    ready_ = false;
    ::inflateEnd(&state_);
    return state_.avail_out != room;
  }

  Got finish() {
    if (!compressed_->trouble().empty())
      trouble_ = compressed_->trouble();
    else if (!between_members_)
      trouble_ = "gzip data end too early";
    return {0, Status::end};
  }

  std::unique_ptr<ByteInput> compressed_;
  z_stream state_{};
  std::string trouble_;
  bool ready_ = false;
  bool between_members_ = false;
};

}  // namespace

std::unique_ptr<ByteStream> gzip_stream(std::unique_ptr<ByteInput> compressed) {
  return std::make_unique<GzipStream>(std::move(compressed));
}

}  // namespace sojourn
