#pragma once
// One TCP connection of a listener, with TLS or without: bytes in, messages out.

#include <chrono>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "capture/unique_fd.h"
#include "ipfix/message.h"
#include "ipfix/transport/tls.h"

namespace sojourn::ipfix {

/// Holds at most one message that is not whole yet.
class Connection {
 public:
  using Clock = std::chrono::steady_clock;

  Connection(UniqueFd socket, std::unique_ptr<TlsStream> tls, Clock::time_point now)
      : socket_(std::move(socket)),
        tls_(std::move(tls)),
        handshaking_(tls_ != nullptr),
        opened_(now),
        heard_(now),
        message_began_(now) {}

  struct Read {
    Progress progress = Progress::again;
    std::size_t bytes = 0;
  };
  /// What is there, as far as there is room; the handshake first.
  Read read(Clock::time_point now);

  /// Calls take(message) for each whole message; it gives false to stop.
  template <class Take>
  void take_messages(Take take) {
    std::size_t from = 0;
    bool goes_on = true;
    while (goes_on && used_ - from >= header_bytes) {
      const std::size_t length = load<std::uint16_t>(buffer_.data() + from + 2);
      if (load<std::uint16_t>(buffer_.data() + from) != version || length < header_bytes) {
        lost_frame_ = true;
        break;
      }
      if (used_ - from < length) break;
      goes_on = take(std::span<const std::byte>{buffer_.data() + from, length});
      from += length;
      message_began_ = heard_;
    }
    drop_front(from);
  }

  /// The next bytes are no message, and the start of the next message is unknown.
  bool lost_frame() const { return lost_frame_; }
  /// The bytes of a message that is not whole yet.
  std::span<const std::byte> waiting() const { return {buffer_.data(), used_}; }
  bool handshaking() const { return handshaking_; }
  const TlsStream* tls() const { return tls_.get(); }
  Clock::time_point opened() const { return opened_; }
  Clock::time_point heard() const { return heard_; }  ///< the last byte
  /// When the first byte of the message that waits had not been there yet.
  Clock::time_point message_began() const { return message_began_; }

 private:
  void drop_front(std::size_t bytes);

  UniqueFd socket_;
  std::unique_ptr<TlsStream> tls_;
  bool handshaking_;
  bool lost_frame_ = false;
  std::vector<std::byte> buffer_ = std::vector<std::byte>(4'096);  ///< grows to one message
  std::size_t used_ = 0;
  Clock::time_point opened_, heard_, message_began_;
};

}  // namespace sojourn::ipfix
