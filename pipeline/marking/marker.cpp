#include "pipeline/marking/marker.h"

#include <fmt/format.h>

#include <cassert>
#include <utility>

#include "core/units.h"
#include "wire/walk.h"

namespace sojourn {
namespace {

/// Replaces `size` bytes at `offset` by others, which may be more or fewer.
void replace(std::vector<std::byte>& frame, std::size_t offset, std::size_t size,
             std::span<const std::byte> with) {
  const auto from = frame.begin() + static_cast<std::ptrdiff_t>(offset);
  const auto rest = frame.erase(from, from + static_cast<std::ptrdiff_t>(size));
  frame.insert(rest, with.begin(), with.end());
}

}  // namespace

Result<std::unique_ptr<Marker>> Marker::make(const MarkerOptions& options) {
  auto monitor = MarkingMonitor::make(
      options.setup, options.restore ? MarkingRole::observing : MarkingRole::initiating);
  if (!monitor) return std::unexpected(monitor.error());
  return std::unique_ptr<Marker>{new Marker{options, std::move(*monitor)}};
}

Marker::Marker(const MarkerOptions& options, MarkingMonitor monitor)
    : force_(options.force),
      restore_(options.restore),
      carrier_(measures_loss(options.setup.method) ? options.setup.carrier
                                                   : options.setup.carrier.for_delay_only()),
      monitor_(std::move(monitor)),
      locator_(options.setup.seed) {}

Result<std::span<const Packet>> Marker::process(std::span<const Packet> batch) {
  assert(batch.size() <= max_batch);
  find(batch);
  const auto events = monitor_.process({ips_.data(), found_});
  std::size_t next = 0;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    ++counters_.packets;
    out_[i] = batch[i];
    const bool is_candidate = next < found_ && places_[next] == i;
    const std::size_t at = next;
    next += is_candidate;
    if (!is_candidate || events[at].flow == MarkingEvent::no_flow) {
      counters_.other += is_candidate || !left_out_[i];
      continue;
    }
    const auto packet = changed(batch[i], ips_[at], events[at], frames_[i]);
    if (!packet) return std::unexpected(packet.error());
    out_[i] = *packet;
  }
  return std::span<const Packet>{out_.data(), batch.size()};
}

MarkCounters Marker::counters() const {
  MarkCounters counters = counters_;
  counters.no_carrier += monitor_.without_carrier();
  counters.other -= monitor_.without_carrier();
  return counters;
}

/// The IP packets that may be marked: those that no tunnel hides, and for an option, that may grow.
void Marker::find(std::span<const Packet> batch) {
  found_ = 0;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    left_out_[i] = false;
    LocatedPacket located;
    if (!locator_.locate(batch[i], located, ips_[found_])) continue;
    const bool tunnelled = located.outer.ip != located.inner.ip;
    const bool cannot_grow =
        !tunnelled && carrier_.kind() == CarrierKind::option && located.length_below;
    counters_.tunnelled += tunnelled;
    counters_.no_carrier += cannot_grow;
    left_out_[i] = tunnelled || cannot_grow;
    if (!left_out_[i]) places_[found_++] = i;
  }
}

Result<Packet> Marker::changed(const Packet& packet, const IpPacket& ip, const MarkingEvent& event,
                               std::vector<std::byte>& frame) {
  const auto offset = static_cast<std::size_t>(ip.ip - packet.data);
  const std::span before{ip.ip, ip.ip_captured};
  frame.assign(packet.data, packet.data + packet.captured);
  ++counters_.changed;
  std::uint32_t length = packet.length;
  if (restore_) {
    changed_ip_.resize(before.size());
    const bool shorter = carrier_.restore(before, changed_ip_);
    replace(frame, offset, before.size(),
            std::span{changed_ip_}.first(before.size() - (shorter ? alt_mark_growth : 0)));
    if (shorter) length -= static_cast<std::uint32_t>(alt_mark_growth);
  } else if (const CarrierUse use = carrier_.use(before); use == CarrierUse::in_use && !force_) {
    met_used_carrier_ = true;
    return failure(fmt::format("packet {} at {} uses {} already", counters_.packets,
                               format_time(packet.time), carrier_.name()));
  } else if (use == CarrierUse::needs_room) {
    changed_ip_.resize(before.size() + alt_mark_growth);
    carrier_.with_flow_id(carrier_.first_flow_id() + event.flow)
        .insert(before, event.mark, changed_ip_);
    replace(frame, offset, before.size(), changed_ip_);
    length += static_cast<std::uint32_t>(alt_mark_growth);
  } else {
    carrier_.write(std::span{frame}.subspan(offset, before.size()), event.mark);
  }
  return Packet{.time = packet.time,
                .data = frame.data(),
                .captured = static_cast<std::uint32_t>(frame.size()),
                .length = length,
                .link = packet.link};
}

}  // namespace sojourn
