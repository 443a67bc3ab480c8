#pragma once
// Types and response codes of DNS by name, as dig shows them.

#include <cstdint>
#include <string>

namespace sojourn {

/// "AAAA"; "TYPE1234" for a type without a name (RFC 3597 section 5).
std::string dns_type_name(std::uint16_t type);

/// "NXDOMAIN"; "RCODE12" for a code without a name.
std::string dns_code_name(std::uint8_t code);

}  // namespace sojourn
