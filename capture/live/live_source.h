#pragma once
// Packets from an interface as they pass.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "capture/source.h"
#include "naming/name_table.h"

namespace sojourn {

struct LiveOptions {
  std::vector<std::string> interfaces = {};  ///< or "any" alone
  std::uint32_t snap_length = 2048;  ///< all but the largest frames; headers would mostly suffice
  std::size_t ring_bytes = 32 * 1024 * 1024;
  bool promiscuous = true;
  std::string filter = {};                ///< tcpdump's language; empty: no filter
  std::shared_ptr<NameTable> names = {};  ///< if given, packets carry their interface
};

/// Opens interfaces for capture.  Needs root or CAP_NET_RAW.  Packets of several interfaces come in
/// the order of time.
///
/// On idle interfaces next() returns no packets within 100 ms.  The source never ends by itself
/// unless the interfaces disappear.  Packets that the kernel dropped are counted in `kernel_drops`.
Result<std::unique_ptr<Source>> open_interfaces(const LiveOptions& options);

}  // namespace sojourn
