#pragma once
// Where addresses belong: an autonomous system, a country.

#include <cstdint>
#include <string>

#include "core/address.h"

namespace sojourn {

/// Asked for each sample, by several threads at once, if somebody groups by it.
class Places {
 public:
  virtual ~Places() = default;

  /// The autonomous system; 0 if none is known.
  virtual std::uint32_t system_of(const IpAddress& address) = 0;
  /// "AS64500 Example Net", of a system that system_of() has returned.
  virtual std::string name_of_system(std::uint32_t number) const = 0;
  /// ISO 3166-1's two letters, the first in the higher byte; 0 if none is known.
  virtual std::uint16_t country_of(const IpAddress& address) = 0;
};

}  // namespace sojourn
