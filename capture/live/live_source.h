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
  std::uint32_t snap_length = 2048;  ///< whole frames but the largest; headers would mostly do
  std::size_t ring_bytes = 32 * 1024 * 1024;
  bool promiscuous = true;
  std::string filter = {};                ///< tcpdump's language; empty: everything
  std::shared_ptr<NameTable> names = {};  ///< if given, packets say by which interface they came
};

/// Opens interfaces for capture.  Needs root or CAP_NET_RAW.  Packets of several come in the order
/// of time.
///
/// Idle interfaces make next() return nothing within 100 ms; the source never ends by itself,
/// except when the interfaces go away.  What the kernel had to drop is in `kernel_drops`.
Result<std::unique_ptr<Source>> open_interfaces(const LiveOptions& options);

}  // namespace sojourn
