// `sojourn mark`: a capture as it would look behind the initiating point, or behind the terminating
// one.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "apps/commands.h"
#include "apps/mark_request.h"
#include "apps/progress.h"
#include "capture/capture_writer.h"
#include "capture/files/open.h"
#include "core/units.h"
#include "wire/dissection.h"

namespace sojourn {
namespace {

constexpr std::size_t batch_size = MarkingMonitor::max_batch;

struct MarkCounters {
  std::uint64_t packets = 0;
  std::uint64_t changed = 0;     ///< marked, or freed of their mark
  std::uint64_t no_carrier = 0;  ///< of a monitored flow, without such a field
  std::uint64_t tunnelled = 0;   ///< inner packets are the tunnel's business
  std::uint64_t other = 0;       ///< no IP packet, or of no monitored flow
};

/// One batch at a time: finds the IP packets, asks the monitor, writes all packets in their order.
class Marker {
 public:
  Marker(const MarkRequest& request, MarkingMonitor monitor)
      : request_(request),
        carrier_(measures_loss(request.setup.method) ? request.setup.carrier
                                                     : request.setup.carrier.for_delay_only()),
        monitor_(std::move(monitor)),
        locator_(request.setup.seed) {}

  Result<void> process(std::span<const Packet> batch) {
    find(batch);
    const auto events = monitor_.process({ips_.data(), found_});
    std::size_t next = 0;
    for (std::size_t i = 0; i < batch.size(); ++i) {
      ++counters_.packets;
      const bool is_ip = next < found_ && places_[next] == i;
      const std::size_t at = next;
      next += is_ip;
      if (auto opened = open_for(batch[i]); !opened) return opened;
      if (!is_ip || events[at].flow == MarkingEvent::no_flow) {
        counters_.other += is_ip || !tunnelled_[i];
        writer_->write(batch[i]);
      } else if (auto written = write(batch[i], ips_[at], events[at]); !written) {
        return written;
      }
    }
    return {};
  }

  Result<void> finish() {
    if (!writer_)
      if (auto opened = open(LinkType::ethernet); !opened) return opened;
    counters_.no_carrier += monitor_.without_carrier();
    counters_.other -= monitor_.without_carrier();
    return writer_->finish();
  }
  const MarkCounters& counters() const { return counters_; }

  /// Half a capture is worse than none.  Only what was begun here, and only a file, is removed.
  void give_up() {
    std::error_code unknown;
    if (writer_ && std::filesystem::is_regular_file(request_.output, unknown))
      std::filesystem::remove(request_.output, unknown);
  }

 private:
  /// The IP packets that may be marked: those that no tunnel hides, and for an option, that may
  /// grow.
  void find(std::span<const Packet> batch) {
    found_ = 0;
    for (std::size_t i = 0; i < batch.size(); ++i) {
      tunnelled_[i] = false;
      if (locator_.locate(batch.subspan(i, 1), {&ips_[found_], 1}) == 0) continue;
      const auto outer = outermost_ip(batch[i], key_);
      if (!outer || outer->ip != ips_[found_].ip) {
        tunnelled_[i] = true;
        ++counters_.tunnelled;
        continue;
      }
      if (carrier_.kind() == CarrierKind::option && outer->length_below) {
        tunnelled_[i] = true;
        ++counters_.no_carrier;
        continue;
      }
      places_[found_++] = i;
    }
  }

  Result<void> write(const Packet& packet, const IpPacket& ip, const MarkingEvent& event) {
    const auto offset = static_cast<std::size_t>(ip.ip - packet.data);
    const std::span before{ip.ip, ip.ip_captured};
    frame_.assign(packet.data, packet.data + packet.captured);
    ++counters_.changed;
    std::uint32_t length = packet.length;
    if (request_.restore) {
      restored_.resize(before.size());
      const bool shorter = carrier_.restore(before, restored_);
      replace(offset, before.size(),
              std::span{restored_}.first(before.size() - (shorter ? alt_mark_growth : 0)));
      if (shorter) length -= static_cast<std::uint32_t>(alt_mark_growth);
      writer_->write(packet.time, frame_, length);
      return {};
    }
    const CarrierUse use = carrier_.use(before);
    if (use == CarrierUse::in_use && !request_.force)
      return failure(fmt::format(
          "packet {} at {} uses {} already; --force overwrites it, or choose another --carrier",
          counters_.packets, format_time(packet.time), carrier_.name()));
    if (use == CarrierUse::needs_room) {
      restored_.resize(before.size() + alt_mark_growth);
      const std::uint32_t first_id = carrier_.first_flow_id();
      carrier_.with_flow_id(first_id + event.flow).insert(before, event.mark, restored_);
      replace(offset, before.size(), restored_);
      length += static_cast<std::uint32_t>(alt_mark_growth);
    } else {
      carrier_.write(std::span{frame_}.subspan(offset, before.size()), event.mark);
    }
    writer_->write(packet.time, frame_, length);
    return {};
  }

  void replace(std::size_t offset, std::size_t size, std::span<const std::byte> with) {
    const auto from = frame_.begin() + static_cast<std::ptrdiff_t>(offset);
    const auto rest = frame_.erase(from, from + static_cast<std::ptrdiff_t>(size));
    frame_.insert(rest, with.begin(), with.end());
  }

  Result<void> open(LinkType link) {
    auto opened = CaptureWriter::open(request_.output, link);
    if (!opened) return std::unexpected(opened.error());
    writer_.emplace(std::move(*opened));
    link_ = link;
    return {};
  }
  Result<void> open_for(const Packet& packet) {
    if (!writer_) return open(packet.link);
    if (packet.link != link_)
      return failure(request_.input + " mixes link types, which a pcap file cannot hold");
    return {};
  }

  const MarkRequest& request_;
  MarkingCarrier carrier_;
  MarkingMonitor monitor_;
  IpLocator locator_;
  HashKey key_ = HashKey::from_seed(0);
  std::optional<CaptureWriter> writer_;
  LinkType link_ = LinkType::ethernet;
  std::array<IpPacket, batch_size> ips_;
  std::array<std::size_t, batch_size> places_{};
  std::array<bool, batch_size> tunnelled_{};
  std::size_t found_ = 0;
  std::vector<std::byte> frame_, restored_;
  MarkCounters counters_;
};

void print(const MarkRequest& request, const MarkCounters& counters) {
  std::FILE* const where = request.output == "-" ? stderr : stdout;
  fmt::print(where, "{}: {} of {} packets {}", request.output, format_count(counters.changed),
             format_count(counters.packets), request.restore ? "freed of their mark" : "marked");
  if (request.restore)
    fmt::print(where, " in {}\n", request.setup.carrier.name());
  else
    fmt::print(where, " in {}, {}, intervals of {}, {} {}\n", request.setup.carrier.name(),
               name_of(request.setup.method), request.setup.length.name(),
               request.setup.flows.size(), request.setup.flows.size() == 1 ? "flow" : "flows");
  const auto left = [&](std::uint64_t count, const char* why) {
    if (count > 0) fmt::print(where, "  {} left as they are: {}\n", format_count(count), why);
  };
  left(counters.no_carrier, "no place for this carrier");
  left(counters.tunnelled, "inside a tunnel");
  left(counters.other, "no IP, or of no monitored flow");
}

Result<void> mark(const MarkRequest& request) {
  auto source = open_capture(request.input);
  if (!source) return std::unexpected(source.error());
  auto monitor = MarkingMonitor::make(
      request.setup, request.restore ? MarkingRole::observing : MarkingRole::initiating);
  if (!monitor) return std::unexpected(monitor.error());
  const auto marker = std::make_unique<Marker>(request, std::move(*monitor));
  std::array<Packet, batch_size> batch;
  {
    Progress progress;
    for (bool end = false; !end;) {
      const auto filled = (*source)->next(batch);
      end = filled.end;
      if (auto done = marker->process({batch.data(), filled.count}); !done) {
        marker->give_up();
        return done;
      }
      progress.show((*source)->progress(), (*source)->counters().packets);
    }
  }
  if (auto finished = marker->finish(); !finished) return finished;
  for (const std::string& warning : (*source)->warnings())
    fmt::print(stderr, "sojourn: warning: {}\n", warning);
  print(request, marker->counters());
  return {};
}

}  // namespace

int run_mark(const MarkRequest& request) {
  const auto done = mark(request);
  if (done) return exit_ok;
  fmt::print(stderr, "sojourn: {}\n", done.error().message);
  return exit_error;
}

}  // namespace sojourn
