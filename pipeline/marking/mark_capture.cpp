#include "pipeline/marking/mark_capture.h"

#include <array>
#include <optional>

namespace sojourn {

Result<void> mark_capture(Source& source, const std::string& input, Marker& marker,
                          const CaptureWriter::Take& output, const std::atomic<bool>& stop,
                          const std::function<void()>& progress) {
  std::optional<CaptureWriter> writer;  // once the first packet tells the link type
  LinkType link = LinkType::ethernet;
  std::array<Packet, Marker::max_batch> batch;
  for (bool end = false; !end && !stop;) {
    const auto filled = source.next(batch);
    end = filled.end;
    const auto marked = marker.process({batch.data(), filled.count});
    if (!marked) return std::unexpected(marked.error());
    for (const Packet& packet : *marked) {
      if (!writer) writer.emplace(output, link = packet.link);
      if (packet.link != link)
        return failure(input + " mixes link types, which a pcap file cannot hold");
      writer->write(packet);
    }
    progress();
  }
  if (!writer) writer.emplace(output, link);
  writer->flush();
  return {};
}

}  // namespace sojourn
