#pragma once
// The classic capture format, draft-ietf-opsawg-pcap: 24 bytes of header, then packets.

#include <cstddef>
#include <memory>

#include "capture/capture_log.h"
#include "capture/decoder.h"

namespace sojourn {

inline constexpr std::size_t pcap_header_size = 24;

/// Does a capture that begins so claim to be pcap?  Needs four bytes.
bool is_pcap(const std::byte* begin);

/// A decoder for what follows the header.  The byte order, the unit of time and the size of a
/// packet's header are settled here, so that the loop over packets need not ask.
Result<std::unique_ptr<Decoder>> make_pcap_decoder(std::span<const std::byte> header,
                                                   CaptureLog& log);

}  // namespace sojourn
