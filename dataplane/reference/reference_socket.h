#pragma once
// Where reference packets leave this process.

#include <cstdint>
#include <optional>
#include <string>

#include "capture/unique_fd.h"
#include "core/address.h"
#include "core/result.h"

namespace sojourn {

struct ReferenceDestination {
  /// Without one: all nodes of the link (224.0.0.1), which is the next router and goes no further.
  std::optional<IpAddress> address;
  std::uint16_t port = 4747;
};

/// A UDP socket bound to one interface, for packets without a time: the program at its egress
/// writes it.
class ReferenceSocket {
 public:
  static Result<ReferenceSocket> open(const std::string& interface, int index,
                                      const ReferenceDestination& to);

  /// False if the kernel did not take it: no buffer, no way there.
  bool send(std::uint16_t sender, std::uint32_t sequence) const;
  std::string destination() const { return destination_; }

 private:
  UniqueFd socket_;
  std::string destination_;
};

/// A socket that takes reference packets addressed to this host and throws them away, so that
/// nobody is told that the port is closed.  Empty if another program has the port.
UniqueFd absorb_references(std::uint16_t port);

}  // namespace sojourn
