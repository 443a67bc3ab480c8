#pragma once
// Packets pushed by a program, as a source: they are filtered and counted like those of a capture.

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "capture/capture_log.h"
#include "capture/files/link_types.h"
#include "capture/filtered_source.h"
#include "capture/source.h"
#include "core/result.h"
#include "library/inside.h"

namespace sojourn::v0 {

/// Delivers the packets passed to offer().  Never ends by itself.
class PushedSource final : public Source {
 public:
  /// They are borrowed until all of them have been read.
  void offer(std::span<const Packet> packets) { rest_ = packets; }
  bool has_packets() const { return !rest_.empty(); }

  Filled next(std::span<sojourn::Packet> batch) override {
    std::size_t count = 0;
    while (count < batch.size() && !rest_.empty()) {
      const Packet& packet = rest_.front();
      rest_ = rest_.subspan(1);
      if (!supported_link_type(packet.link_type)) {
        ++counters_.unknown_link;
        continue;
      }
      batch[count] = packet_of(packet);
      tally_.add(batch[count]);
      ++count;
    }
    counters_.packets += count;
    tally_.report(counters_);
    return {count, false};
  }
  bool bytes_stay() const override { return false; }
  const SourceCounters& counters() const override { return counters_; }
  std::span<const std::string> warnings() const override { return {}; }
  double progress() const override { return -1; }

 private:
  std::span<const Packet> rest_;
  SourceCounters counters_;
  PacketTally tally_;
};

/// The packets of an open source that a filter accepts; an empty filter accepts all.
inline sojourn::Result<std::unique_ptr<Source>> filtered(
    sojourn::Result<std::unique_ptr<Source>> opened, const std::string& filter) {
  if (!opened || filter.empty()) return opened;
  return FilteredSource::open(std::move(*opened), filter);
}

/// Pushed packets behind a filter.
struct Inlet {
  /// Fails if the filter is invalid.
  static sojourn::Result<Inlet> open(const std::string& filter) {
    auto pushed = std::make_unique<PushedSource>();
    Inlet inlet;
    inlet.pushed = pushed.get();
    auto source = filtered(std::move(pushed), filter);
    if (!source) return std::unexpected(source.error());
    inlet.source = std::move(*source);
    return inlet;
  }

  PushedSource* pushed = nullptr;
  std::unique_ptr<Source> source;  ///< owns it
};

}  // namespace sojourn::v0
