#pragma once
// TLS by GnuTLS, with certificates both ways.  Without GnuTLS it is refused in one line.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "core/result.h"
#include "ipfix/transport/endpoint.h"

namespace sojourn::ipfix {

/// What became of an attempt to read or write without waiting.
enum class Progress : std::uint8_t { done, again, closed, failed };

class TlsStream;

/// Certificate, key and authority, read once.
class TlsContext {
 public:
  static Result<std::unique_ptr<TlsContext>> open(const TlsFiles& files);
  ~TlsContext();

  /// Over a connected socket that does not block; the socket stays the caller's.
  std::unique_ptr<TlsStream> accept(int socket) const;
  /// The other side's certificate must be for `host`.
  std::unique_ptr<TlsStream> connect(int socket, const std::string& host) const;

 private:
  friend class TlsStream;
  struct State;
  explicit TlsContext(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

class TlsStream {
 public:
  ~TlsStream();

  /// Until it is done; `wants_write()` says what to wait for.
  Progress handshake();
  bool wants_write() const;
  /// The other side's certificate was refused, or is missing.
  bool refused_certificate() const;
  /// Why the last call failed, in words.
  const std::string& reason() const;

  struct Moved {
    Progress progress = Progress::again;
    std::size_t bytes = 0;
  };
  Moved read(std::span<std::byte> bytes);
  /// `closed` came with a goodbye of the other side: it has read to the end.
  bool ended_properly() const;
  /// After `again` the same bytes must be given once more.
  Moved write(std::span<const std::byte> bytes);
  /// A polite end, if the other side listens.
  void say_goodbye();

 private:
  friend class TlsContext;
  struct State;
  explicit TlsStream(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace sojourn::ipfix
