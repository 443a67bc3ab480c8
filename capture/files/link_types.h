#pragma once
// Which link types are read, and what the others are called.

#include <cstdint>
#include <optional>
#include <string>

#include "core/packet.h"

namespace sojourn {

/// The link type with this LINKTYPE number, if it is one that Sojourn reads.
std::optional<LinkType> supported_link_type(std::uint32_t number);

/// "link type 147 (USER0) is not supported; supported are Ethernet, raw IP, ..."
std::string unsupported_link_type(std::uint32_t number);

}  // namespace sojourn
