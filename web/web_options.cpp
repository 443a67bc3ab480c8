#include <fmt/format.h>

#include "web/access.h"
#include "web/listen_socket.h"
#include "web/web_server.h"

namespace sojourn::web {

std::string access_fault(const WebOptions& options) {
  if (options.certificate.empty() != options.key.empty())
    return "a certificate and its key go together";
  if (!options.authority.empty() && options.certificate.empty())
    return "certificates of clients need TLS: a certificate and a key of our own";
  if (!options.token.empty() && options.token.size() < 16)
    return "a token needs at least 16 characters";
  const auto address = listen_address(options.host);
  if (!address) return fmt::format("'{}' is not an address", options.host);
  if (is_loopback(*address) || options.insecure) return {};
  if (options.certificate.empty())
    return "other machines can reach this address, so it needs a certificate and a key";
  if (options.token.empty() && options.authority.empty())
    return "other machines can reach this address, so it needs a token or an authority of "
           "clients' certificates";
  return {};
}

#ifndef SOJOURN_WITH_MICROHTTPD
Result<std::unique_ptr<WebServer>> WebServer::open(const WebOptions&, const Metrics&) {
  return failure(
      "this program was built without a web server: install libmicrohttpd-dev and build it anew");
}
#endif

}  // namespace sojourn::web
