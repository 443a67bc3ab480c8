#pragma once
// A minimal HTTP client for ClickHouse (RFC 9112): one request, one response, one connection.

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "core/result.h"
#include "core/time.h"
#include "store/clickhouse/address.h"

namespace sojourn::clickhouse {

struct HttpAnswer {
  int status = 0;
  std::string body;
};

/// Timeout of the connection, and of each piece of a response.
struct HttpPatience {
  Duration connecting = std::chrono::seconds{3};
  Duration answering = std::chrono::seconds{30};
};

/// How bytes are sent and received over a connected non-blocking socket: plain, or inside TLS.
class HttpChannel {
 public:
  virtual ~HttpChannel() = default;
  virtual Result<void> send_all(std::string_view bytes, Duration patience) = 0;
  /// Until the peer closes.
  virtual Result<std::string> receive_all(Duration patience) = 0;
};
/// The socket belongs to the caller and outlives the channel.
using OpenChannel =
    std::function<Result<std::unique_ptr<HttpChannel>>(int socket, const HttpPatience& patience)>;
Result<std::unique_ptr<HttpChannel>> open_plain(int socket, const HttpPatience& patience);

/// `headers` are whole lines.  A truncated response is an error.
Result<HttpAnswer> http_post(const HostPort& server, const std::string& target,
                             const std::string& headers, std::string_view body,
                             const HttpPatience& patience = {},
                             const OpenChannel& open = open_plain);

/// Waits until the socket can be read (POLLIN) or written (POLLOUT).
Result<void> wait_for(int socket, short events, Duration patience);

inline constexpr std::size_t largest_answer = std::size_t{2} << 30;

/// An error if these bytes, up to where the server closed, are not a complete response.
Result<HttpAnswer> parse_http_answer(std::string_view bytes);

/// For use behind "?name=".
std::string percent_encoded(std::string_view text);

}  // namespace sojourn::clickhouse
