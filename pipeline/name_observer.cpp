#include "pipeline/name_observer.h"

#include <algorithm>

#include "wire/headers/dns_addresses.h"
#include "wire/headers/tls_server_name.h"

namespace sojourn {

/// In fixed memory, an eighth of what connections have comes on top.
std::size_t NameObserver::most_hosts(const RttOptions& options) {
  constexpr std::size_t bytes_of_a_host = 384, least = 16;
  if (options.table.connection_bytes == 0) return HostNames::usual_most;
  return std::clamp(options.table.connection_bytes / 8 / bytes_of_a_host, least,
                    HostNames::usual_most);
}

void NameObserver::look_at(std::span<const Summary> batch) {
  for (const Summary& packet : batch) {
    if (packet.content == Content::dns_response) {
      read_dns_addresses(captured_payload(packet),
                         [this](std::string_view name, const IpAddress& host) {
                           names_->learn(host, name, HostNames::From::dns);
                         });
    } else if (packet.content == Content::tcp && packet.payload > 0) {
      if (const auto name = find_server_name(captured_payload(packet)))
        names_->learn(packet.destination(), *name, HostNames::From::server);
    }
  }
}

}  // namespace sojourn
