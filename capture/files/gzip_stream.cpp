// RFC 1952 through zlib.

#define ZLIB_CONST
#include <zlib.h>

#include <algorithm>
#include <limits>

#include "capture/files/compressed_stream.h"

namespace sojourn {
namespace {

class GzipStream final : public CompressedStream {
 public:
  explicit GzipStream(std::unique_ptr<ByteInput> compressed)
      : CompressedStream(std::move(compressed)) {
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
      const Window input = window();
      if (input.size() == 0 && !input.last) {
        if (const auto nothing_yet = refill()) return *nothing_yet;
        continue;
      }
      if (input.size() == 0) return finish(between_members_, "gzip");
      // Tapes and block devices may leave zeros after the last member.
      if (between_members_ && *input.begin != first_magic_byte) return {0, Status::end};
      if (!inflate_some(input)) return {0, Status::end};
    }
    return {room_size - state_.avail_out, Status::more};
  }

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
    consume(offered - state_.avail_in);
    between_members_ = status == Z_STREAM_END;
    if (between_members_) ::inflateReset(&state_);
    if (status == Z_OK || status == Z_STREAM_END || status == Z_BUF_ERROR) return true;
    trouble_ =
        std::string{"gzip data are damaged: "} + (state_.msg ? state_.msg : "unknown reason");
    ready_ = false;
    ::inflateEnd(&state_);
    return state_.avail_out != room;
  }

  z_stream state_{};
  bool ready_ = false;
  bool between_members_ = false;
};

}  // namespace

std::unique_ptr<ByteStream> gzip_stream(std::unique_ptr<ByteInput> compressed) {
  return std::make_unique<GzipStream>(std::move(compressed));
}

}  // namespace sojourn
