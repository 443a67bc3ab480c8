#pragma once
// The classic capture format, draft-ietf-opsawg-pcap: 24 bytes of header, then packets.

#include <cstddef>
#include <memory>

#include "capture/capture_log.h"
#include "capture/decoder.h"

namespace sojourn {

inline constexpr std::size_t pcap_header_size = 24;

/// Whether a capture that begins with these bytes claims to be pcap.  Needs four bytes.
bool is_pcap(const std::byte* begin);

/// A decoder for what follows the header.  The byte order, the time unit and the size of a packet's
/// header are fixed here, so that the loop over packets need not test them.
Result<std::unique_ptr<Decoder>> make_pcap_decoder(std::span<const std::byte> header,
                                                   CaptureLog& log);

}  // namespace sojourn
