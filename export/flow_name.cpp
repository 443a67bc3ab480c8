#include "export/flow_name.h"

#include <fmt/format.h>

#include "core/parse.h"

namespace sojourn {

std::string flow_name(const FlowKey& key) {
  return fmt::format("{} {} > {}", protocol_name(key.protocol),
                     address_and_port(key.source, key.source_port),
                     address_and_port(key.destination, key.destination_port));
}

}  // namespace sojourn
