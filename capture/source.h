#pragma once
// Where packets come from: a file, several files, a pipe, an interface.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/packet.h"
#include "core/result.h"

namespace sojourn {

/// What a source has delivered so far, and what it could not.
struct SourceCounters {
  std::uint64_t packets = 0;
  std::uint64_t bytes = 0;           ///< on the wire
  std::uint64_t cut_files = 0;       ///< files that end in the middle of a packet
  std::uint64_t bad_blocks = 0;      ///< pcapng blocks with a wrong length or unknown interface
  std::uint64_t backward_times = 0;  ///< packets with an earlier time than the one before
  Duration furthest_back{0};         ///< the largest of these steps
  std::uint64_t clamped_times = 0;   ///< times outside 1677..2262
  std::uint64_t unlikely_times = 0;  ///< before 1970 or after 2106, including clamped ones
  std::uint64_t unknown_link = 0;    ///< packets of an unsupported link type
  std::uint64_t filtered = 0;        ///< rejected by --filter
  std::uint64_t kernel_drops = 0;    ///< live: lost before they were read
};

/// Packets in batches.  The virtual call is per batch, never per packet.
class Source {
 public:
  virtual ~Source() = default;

  struct Filled {
    std::size_t count = 0;
    bool end = false;  ///< no packet follows.  A live source may fill 0 without being at its end.
    bool in_order = false;  ///< it is known that no packet has an earlier time than one before it
  };

  /// Fills `batch` from its front.  Bytes stay valid until the next call, or as long as the source
  /// lives if `bytes_stay()`.
  virtual Filled next(std::span<Packet> batch) = 0;

  virtual bool bytes_stay() const = 0;
  virtual const SourceCounters& counters() const = 0;

  /// One line for each thing the user should know: "a.pcap: cut in the middle of packet 17".
  virtual std::span<const std::string> warnings() const = 0;

  /// Progress from 0 to 1; negative if unknown (a pipe, an interface).
  virtual double progress() const = 0;
};

}  // namespace sojourn
