// Bytes as a capture: whole as from a mapped file, and in pieces as from a pipe.  Both must end,
// return only bytes that exist, and agree.

#include <array>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "capture/files/open.h"

namespace {

using namespace sojourn;

struct Walked {
  std::uint64_t packets = 0;
  std::uint64_t digest = 0;
  std::uint64_t trouble = 0;

  friend bool operator==(const Walked&, const Walked&) = default;
};

Walked walk(Source& source) {
  Walked walked;
  std::array<Packet, 7> batch;
  for (Source::Filled filled; !filled.end;) {
    filled = source.next(batch);
    for (const Packet& packet : std::span{batch}.first(filled.count)) {
      ++walked.packets;
      walked.digest = walked.digest * 31 + static_cast<std::uint64_t>(to_ns(packet.time));
      walked.digest = walked.digest * 31 + packet.captured;
      if (packet.captured == 0) continue;
      walked.digest = walked.digest * 31 + static_cast<std::uint64_t>(packet.data[0]);
      walked.digest =
          walked.digest * 31 + static_cast<std::uint64_t>(packet.data[packet.captured - 1]);
    }
  }
  const SourceCounters& counters = source.counters();
  if (counters.packets != walked.packets) std::abort();
  walked.trouble = counters.cut_files + counters.bad_blocks + counters.unknown_link;
  // A counted problem is also reported.
  if (walked.trouble != 0 && source.warnings().empty()) std::abort();
  return walked;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span{data, size});
  // A megabyte of zeros packs into a kilobyte: keep one input's work bounded.
  if (size > 1 << 16) return 0;
  const auto whole = open_memory(bytes, "whole");
  const auto pieces = open_memory(bytes, "pieces", size % 61 + 1);
  const Walked first = whole ? walk(**whole) : Walked{};
  const Walked second = pieces ? walk(**pieces) : Walked{};
  // How much a decompressor gives before it notices damage depends on the pieces.
  const bool packed = size >= 4 && (data[0] == 0x1f || data[0] == 0x28);
  if (!packed && (whole.has_value() != pieces.has_value() || first != second)) std::abort();
  return 0;
}
