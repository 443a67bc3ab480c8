#include "lab/recorder/record_two_points.h"

#include <algorithm>
#include <cmath>

#include "lab/traffic_model.h"
#include "lab/two_point_frame.h"

namespace sojourn {
namespace {

Timestamp at(std::int64_t reading_ns) { return lab_epoch + Duration{reading_ns}; }

/// The packet after the changes described by `view`.
TwoPointFrame::Bytes make_frame(TwoPointFrame& frame, const TwoPointTrace& trace,
                                std::uint32_t packet, const FrameView& view,
                                std::uint32_t snap_length) {
  const LabPacket& sent = trace.sent[packet];
  if (sent.flow == trace.reference_flow)
    return frame.make_reference(sent.flow, trace.number[packet], at(trace.first_ns[packet]), view,
                                snap_length);
  return frame.make(sent.flow, trace.flow_is_ipv6[sent.flow], trace.number[packet], sent.bytes,
                    view, snap_length);
}

/// From every delay of a flow, so that mean and deviation are computed independently, in a second
/// pass.
FlowDelay flow_truth(const FlowKey& key, const std::vector<std::int64_t>& delays,
                     std::uint64_t lost) {
  FlowDelay flow;
  flow.key = key;
  flow.packets = delays.size() + lost;
  flow.lost = lost;
  if (delays.empty()) return flow;
  long double sum = 0, squares = 0;
  for (const std::int64_t delay : delays) sum += static_cast<long double>(delay);
  const long double mean = sum / static_cast<long double>(delays.size());
  for (const std::int64_t delay : delays)
    squares += (static_cast<long double>(delay) - mean) * (static_cast<long double>(delay) - mean);
  flow.mean_ns = static_cast<double>(mean);
  flow.stddev_ns =
      static_cast<double>(std::sqrt(squares / static_cast<long double>(delays.size())));
  flow.min_ns = *std::ranges::min_element(delays);
  flow.max_ns = *std::ranges::max_element(delays);
  return flow;
}

}  // namespace

void record_first_point(const TwoPointTrace& trace, const TwoPointLook& look,
                        CaptureWriter& capture) {
  TwoPointFrame frame{look.seed};
  for (const std::uint32_t packet : trace.first_order) {
    const auto [bytes, length] = make_frame(frame, trace, packet, {}, look.snap_length);
    capture.write(at(trace.first_ns[packet]), bytes, length);
  }
}

void record_last_point(const TwoPointTrace& trace, const TwoPointLook& look,
                       CaptureWriter& capture) {
  TwoPointFrame frame{look.seed};
  for (const TwoPointArrival& arrival : trace.arrivals) {
    // Three routers on the path; one of them occasionally marks congestion or a class of service.
    const auto service = static_cast<std::uint8_t>(arrival.packet % 7 == 0 ? 0xb9 : 0);
    const auto [bytes, length] =
        make_frame(frame, trace, arrival.packet,
                   {.vlan_tag = look.vlan, .hops = 3, .service = service}, look.snap_length);
    capture.write(at(arrival.read_ns), bytes, length);
  }
}

TwoPointTruth truth_of(const TwoPointTrace& trace) {
  TwoPointTruth truth;
  std::vector<bool> arrived(trace.sent.size());
  std::vector<std::vector<std::int64_t>> delays(trace.flows());
  for (const TwoPointArrival& arrival : trace.arrivals) {
    const std::uint32_t flow = trace.sent[arrival.packet].flow;
    if (arrival.duplicate || flow == trace.reference_flow) continue;
    const std::int64_t sent_ns = trace.first_ns[arrival.packet];
    arrived[arrival.packet] = true;
    delays[flow].push_back(arrival.read_ns - sent_ns);
    truth.delays.push_back({at(sent_ns), Duration{delays[flow].back()}, flow});
  }
  std::vector<std::uint64_t> lost(trace.flows());
  for (std::size_t i = 0; i < trace.sent.size(); ++i)
    if (!arrived[i] && trace.sent[i].flow != trace.reference_flow)
      ++lost[trace.sent[i].flow], ++truth.lost;
  for (std::uint32_t flow = 0; flow < trace.flows(); ++flow)
    if (delays[flow].size() + lost[flow] > 0)
      truth.flows.push_back(
          flow_truth(two_point_flow(flow, trace.flow_is_ipv6[flow]), delays[flow], lost[flow]));
  return truth;
}

}  // namespace sojourn
