#include "capture/first_time.h"

#include <array>

namespace sojourn {

std::optional<Timestamp> first_time(Source& source) {
  std::array<Packet, 128> packets;
  while (true) {
    const Source::Filled filled = source.next(packets);
    if (filled.count > 0) return packets[0].time;
    if (filled.end) return std::nullopt;
  }
}

}  // namespace sojourn
