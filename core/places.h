#pragma once
// Where addresses belong: their autonomous system and country.

#include <cstdint>
#include <string>

#include "core/address.h"

namespace sojourn {

/// Called for each sample, by several threads at once, if groups are by system or country.
class Places {
 public:
  virtual ~Places() = default;

  /// The autonomous system; 0 if none is known.
  virtual std::uint32_t system_of(const IpAddress& address) = 0;
  /// "AS64500 Example Net", for a system that system_of() has returned.
  virtual std::string name_of_system(std::uint32_t number) const = 0;
  /// ISO 3166-1's two letters, the first in the higher byte; 0 if none is known.
  virtual std::uint16_t country_of(const IpAddress& address) = 0;
};

}  // namespace sojourn
