#pragma once
// As much of an HTTP client as ClickHouse needs (RFC 9112): one request, one answer, one
// connection.

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

/// How long to wait for a connection, and for each piece of an answer.
struct HttpPatience {
  Duration connecting = std::chrono::seconds{3};
  Duration answering = std::chrono::seconds{30};
};

/// `headers` are whole lines.  An answer that ends early is an error.
Result<HttpAnswer> http_post(const HostPort& server, const std::string& target,
                             const std::string& headers, std::string_view body,
                             const HttpPatience& patience = {});

/// nullopt-like: an error if these bytes, up to where the server closed, are no whole answer.
Result<HttpAnswer> parse_http_answer(std::string_view bytes);

/// For use behind "?name=".
std::string percent_encoded(std::string_view text);

}  // namespace sojourn::clickhouse
