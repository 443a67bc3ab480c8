#include "ipfix/transport/connection.h"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace sojourn::ipfix {

Connection::Read Connection::read(Clock::time_point now) {
  if (handshaking_) {
    const Progress progress = tls_->handshake();
    if (progress != Progress::done) return {progress, 0};
    handshaking_ = false;
  }
  // The longest message and the header behind it, so that there is always room for a byte.
  constexpr std::size_t most = most_message_bytes + header_bytes;
  if (used_ == buffer_.size()) buffer_.resize(std::min(most, buffer_.size() * 4));
  const std::span<std::byte> room{buffer_.data() + used_, buffer_.size() - used_};
  Read read;
  if (tls_) {
    const auto [progress, bytes] = tls_->read(room);
    read = {progress, bytes};
    // So that a point that ends knows that all it wrote was read.
    if (progress == Progress::closed && tls_->ended_properly()) tls_->say_goodbye();
  } else {
    const ssize_t size = ::recv(socket_.get(), room.data(), room.size(), 0);
    if (size > 0)
      read = {Progress::done, static_cast<std::size_t>(size)};
    else if (size == 0)
      read = {Progress::closed, 0};
    else
      read = {errno == EAGAIN || errno == EINTR ? Progress::again : Progress::failed, 0};
  }
  if (read.bytes > 0) {
    if (used_ == 0) message_began_ = now;
    heard_ = now;
  }
  used_ += read.bytes;
  return read;
}

void Connection::drop_front(std::size_t bytes) {
  std::memmove(buffer_.data(), buffer_.data() + bytes, used_ - bytes);
  used_ -= bytes;
}

}  // namespace sojourn::ipfix
