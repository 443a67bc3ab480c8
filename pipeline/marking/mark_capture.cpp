#include "pipeline/marking/mark_capture.h"

#include <array>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "capture/capture_writer.h"

namespace sojourn {
namespace {

/// Opens the file when the first packet tells the link type.
class MarkedFile {
 public:
  MarkedFile(const std::string& input, const std::string& path) : input_(input), path_(path) {}

  Result<void> write(std::span<const Packet> packets) {
    for (const Packet& packet : packets) {
      if (!writer_)
        if (auto opened = open(packet.link); !opened) return opened;
      if (packet.link != link_)
        return failure(input_ + " mixes link types, which a pcap file cannot hold");
      writer_->write(packet);
    }
    return {};
  }

  Result<void> finish() {
    if (!writer_)
      if (auto opened = open(LinkType::ethernet); !opened) return opened;
    return writer_->finish();
  }

  /// Only what was begun here, and only a file, is removed.
  void give_up() {
    std::error_code unknown;
    if (writer_ && std::filesystem::is_regular_file(path_, unknown))
      std::filesystem::remove(path_, unknown);
  }

 private:
  Result<void> open(LinkType link) {
    auto opened = CaptureWriter::open(path_, link);
    if (!opened) return std::unexpected(opened.error());
    writer_.emplace(std::move(*opened));
    link_ = link;
    return {};
  }

  const std::string& input_;
  const std::string& path_;
  std::optional<CaptureWriter> writer_;
  LinkType link_ = LinkType::ethernet;
};

}  // namespace

Result<void> mark_capture(Source& source, const std::string& input, Marker& marker,
                          const std::string& output, const std::function<void()>& progress) {
  MarkedFile file{input, output};
  std::array<Packet, Marker::max_batch> batch;
  for (bool end = false; !end;) {
    const auto filled = source.next(batch);
    end = filled.end;
    const auto marked = marker.process({batch.data(), filled.count});
    const Result<void> written =
        marked ? file.write(*marked) : Result<void>{std::unexpected(marked.error())};
    if (!written) {
      file.give_up();
      return written;
    }
    progress();
  }
  return file.finish();
}

}  // namespace sojourn
