#include "capture/files/byte_stream.h"

#include <poll.h>

#include <algorithm>
#include <cstring>

namespace sojourn {
namespace {

class FdStream final : public ByteStream {
 public:
  explicit FdStream(UniqueFd file) : file_(std::move(file)) {}

  Got read(std::span<std::byte> room) override {
    // poll() first: a silent pipe must not keep the user from stopping us.
    pollfd wait{.fd = file_.get(), .events = POLLIN, .revents = 0};
    const int ready = ::poll(&wait, 1, longest_wait_ms);
    if (ready == 0) return {0, Status::idle};
    const ::ssize_t size = ready < 0 ? -1 : ::read(file_.get(), room.data(), room.size());
    if (size > 0) return {static_cast<std::size_t>(size), Status::more};
    if (size < 0 && errno == EINTR) return {0, Status::interrupted};
    if (size < 0 && errno == EAGAIN) return {0, Status::idle};
    if (size < 0) trouble_ = std::string{"cannot read on: "} + std::strerror(errno);
    return {0, Status::end};
  }
  double progress() const override { return -1; }
  const std::string& trouble() const override { return trouble_; }

 private:
  static constexpr int longest_wait_ms = 100;
  UniqueFd file_;
  std::string trouble_;
};

class MemoryStream final : public ByteStream {
 public:
  MemoryStream(std::span<const std::byte> bytes, std::size_t chunk)
      : rest_(bytes), size_(bytes.size()), chunk_(chunk) {}

  Got read(std::span<std::byte> room) override {
    const std::size_t size = std::min({room.size(), rest_.size(), chunk_});
    if (size == 0) return {0, Status::end};
    std::memcpy(room.data(), rest_.data(), size);
    rest_ = rest_.subspan(size);
    return {size, Status::more};
  }
  double progress() const override {
    return size_ == 0 ? 1 : 1 - static_cast<double>(rest_.size()) / static_cast<double>(size_);
  }
  const std::string& trouble() const override { return trouble_; }

 private:
  std::span<const std::byte> rest_;
  std::size_t size_;
  std::size_t chunk_;
  std::string trouble_;
};

class BufferedInput final : public ByteInput {
 public:
  BufferedInput(std::unique_ptr<ByteStream> stream, std::size_t capacity)
      : stream_(std::move(stream)),
        buffer_(std::make_unique_for_overwrite<std::byte[]>(capacity)),
        capacity_(capacity) {}

  Window window() const override { return {buffer_.get() + begin_, buffer_.get() + end_, last_}; }
  void consume(std::size_t bytes) override { begin_ += bytes; }

  Refill refill(std::size_t wanted) override {
    if (last_) return Refill::changed;
    make_room(wanted);
    const auto got = stream_->read({buffer_.get() + end_, capacity_ - end_});
    end_ += got.size;
    switch (got.status) {
      case ByteStream::Status::idle:
        return Refill::idle;
      case ByteStream::Status::interrupted:
        return Refill::interrupted;
      case ByteStream::Status::end:
        last_ = true;
        break;
      case ByteStream::Status::more:
        break;
    }
    return Refill::changed;
  }

  bool bytes_stay() const override { return false; }
  double progress() const override { return stream_->progress(); }
  const std::string& trouble() const override { return stream_->trouble(); }

 private:
  /// Moves unread bytes to the front.  Decoders need no more than their largest block, so the
  /// buffer is bounded.
  void make_room(std::size_t wanted) {
    const std::size_t unread = end_ - begin_;
    if (capacity_ >= std::max(wanted, unread + 1)) {
      std::memmove(buffer_.get(), buffer_.get() + begin_, unread);
    } else {
      capacity_ = std::max(wanted, 2 * capacity_);
      auto larger = std::make_unique_for_overwrite<std::byte[]>(capacity_);
      std::memcpy(larger.get(), buffer_.get() + begin_, unread);
      buffer_ = std::move(larger);
    }
    begin_ = 0;
    end_ = unread;
  }

  std::unique_ptr<ByteStream> stream_;
  std::unique_ptr<std::byte[]> buffer_;
  std::size_t capacity_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  bool last_ = false;
};

}  // namespace

std::unique_ptr<ByteStream> stream_from(UniqueFd file) {
  return std::make_unique<FdStream>(std::move(file));
}
std::unique_ptr<ByteStream> stream_from(std::span<const std::byte> bytes, std::size_t chunk) {
  return std::make_unique<MemoryStream>(bytes, chunk);
}
std::unique_ptr<ByteInput> buffered(std::unique_ptr<ByteStream> stream, std::size_t capacity) {
  return std::make_unique<BufferedInput>(std::move(stream), capacity);
}

}  // namespace sojourn
