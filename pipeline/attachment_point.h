#pragma once
// An interface to which a kernel program is attached.

#include <string>

#include "capture/live/live_socket.h"
#include "dataplane/attachment.h"

namespace sojourn {

inline Result<AttachmentPoint> find_attachment_point(const std::string& interface) {
  const auto found = LiveInterface::find(interface);
  if (!found) return std::unexpected(found.error());
  if (found->framing == Framing::none)
    return failure(interface +
                   ": the kernel engine reads Ethernet; this interface has no such headers");
  return AttachmentPoint{interface, found->index, found->framing == Framing::loopback};
}

}  // namespace sojourn
