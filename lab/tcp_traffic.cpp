#include "lab/tcp_traffic.h"

#include <algorithm>
#include <cmath>

#include "lab/delay_mixture.h"

namespace sojourn {
namespace {

constexpr std::uint32_t no_flow = ~std::uint32_t{0};

Duration nanoseconds(double ns) { return Duration{std::llround(ns)}; }

}  // namespace

TcpTraffic::TcpTraffic(const TcpTrafficOptions& options)
    : options_(options),
      random_(options.seed),
      builder_(options.snap_length),
      half_loss_(1 - std::sqrt(1 - options.loss)) {
  schedule(lab_epoch, no_flow, What::begins);
}

void TcpTraffic::schedule(Timestamp time, std::uint32_t flow, What what,
                          const LabSegment& segment) {
  events_.push({time, order_++, flow, what, segment});
  if (flow != no_flow) ++flows_[flow].events;
}

/// Eight packets open and close; two segments cause one ACK.
void TcpTraffic::draw_exchange(Flow& flow) {
  const double packets =
      static_cast<double>(options_.packets) / static_cast<double>(options_.flows);
  const double mean_segments = std::max(0.5, (packets - 8) / 1.5 / 2);  // two exchanges on average
  const double bytes =
      tcp_segment_bytes * mean_segments *
      std::min(random_.exponential(0.5) + 0.5 / std::pow(1 - random_.uniform(), 1 / 1.8), 200.0) /
      1.6;
  const auto large = static_cast<std::uint64_t>(std::max(20.0, bytes));
  const auto small = 20 + random_.below(1200);
  const bool uploads = flow.number % 5 == 0;
  flow.request = uploads ? large : small;
  flow.response = uploads ? small : large;
}

TcpTraffic::Flow TcpTraffic::new_flow() {
  const std::uint64_t number = begun_++;
  const bool stamps = random_.chance(0.9);
  const double round_trip = draw_delay_ns(random_);
  const double near = random_.uniform(0.02, 0.4);
  Flow flow{
      .number = number,
      .ends = LabEnds::of_flow(number, lab_server_port),
      .client = TcpEndpoint{{.is_client = true,
                             .timestamps = stamps,
                             .isn = static_cast<std::uint32_t>(random_.bits()),
                             .stamp_offset = static_cast<std::uint32_t>(random_.bits())}},
      .server = TcpEndpoint{{.is_client = false,
                             .timestamps = stamps,
                             .isn = static_cast<std::uint32_t>(random_.bits()),
                             .stamp_offset = static_cast<std::uint32_t>(random_.bits())}},
      .truth = {},
      .half_way = {nanoseconds(round_trip / 2 * near), nanoseconds(round_trip / 2 * (1 - near))},
      .last_arrival = {},
      .exchanges = 1 + random_.below(3),
      .request = 0,
      .response = 0,
      .client_expects = 0,
      .server_expects = 0,
      .resets = random_.chance(0.05),
      .server_closes = random_.chance(0.3),
      .client_busy = false,
      .server_busy = false,
      .client_wakes = TcpEndpoint::never,
      .server_wakes = TcpEndpoint::never,
      .events = 0};
  draw_exchange(flow);
  return flow;
}

void TcpTraffic::begin(Timestamp now) {
  std::uint32_t place;
  if (free_.empty()) {
    place = static_cast<std::uint32_t>(flows_.size());
    flows_.push_back(new_flow());
  } else {
    place = free_.back();
    free_.pop_back();
    flows_[place] = new_flow();
  }
  out_.clear();
  flows_[place].client.open(now, out_);
  send(place, out_, now);
  after(place, now);
  if (begun_ < options_.flows)
    schedule(now + nanoseconds(random_.exponential(options_.seconds * 1e9 /
                                                   static_cast<double>(options_.flows))),
             no_flow, What::begins);
}

void TcpTraffic::send(std::uint32_t flow, TcpEndpoint::Out& segments, Timestamp now) {
  for (const LabSegment& segment : segments) forward(flow, segment, now, false);
  segments.clear();
}

/// One half of the way: a delay that varies, and a queue that keeps the order.
void TcpTraffic::forward(std::uint32_t place, const LabSegment& segment, Timestamp now,
                         bool second_half) {
  if (random_.chance(half_loss_)) return;
  Flow& flow = flows_[place];
  const unsigned way =
      segment.from_client == second_half ? 1 : 0;  // 0: between client and observer
  const double base = static_cast<double>(flow.half_way[way].count());
  const Timestamp in_time = now + nanoseconds(base * (1 + random_.exponential(0.05)) + 5e3);
  Timestamp& last = flow.last_arrival[2 * way + (segment.from_client ? 0 : 1)];
  const Duration transmission{500 + 8 * std::int64_t{segment.payload}};  // at 1 Gbit/s
  Timestamp arrival = std::max(in_time, last + transmission);
  if (random_.chance(options_.reorder))
    arrival += nanoseconds(random_.uniform(1e6, 3e6));
  else
    last = arrival;
  schedule(arrival, place, second_half ? What::arrives : What::passes_observer, segment);
}

/// Behind every event of a connection: the applications react, and timers are set.
void TcpTraffic::after(std::uint32_t place, Timestamp now) {
  Flow& flow = flows_[place];
  if (flow.client.established() && !flow.client_busy && !flow.client.gave_up() &&
      (flow.client.received() >= flow.client_expects || flow.client.fin_received())) {
    flow.client_busy = true;  // reads what came and thinks
    schedule(now + nanoseconds(random_.exponential(20e6)), place, What::client_acts);
  }
  if (!flow.server_busy && flow.server.established() && !flow.server.gave_up() &&
      ((flow.server_expects > 0 && flow.server.received() >= flow.server_expects) ||
       flow.server.fin_received())) {
    flow.server_busy = true;
    schedule(now + nanoseconds(random_.exponential(3e6)), place, What::server_acts);
  }
  const auto wake = [&](const TcpEndpoint& end, Timestamp& wakes, What what) {
    if (end.wake_at() >= wakes) return;
    wakes = std::max(end.wake_at(), now);
    schedule(wakes, place, what);
  };
  wake(flow.client, flow.client_wakes, What::wakes_client);
  wake(flow.server, flow.server_wakes, What::wakes_server);
}

/// Asks for more, or ends the connection.
void TcpTraffic::client_acts(Flow& flow, Timestamp now) {
  if (flow.exchanges == 0) {
    if (flow.resets)
      flow.client.abort(now, out_);
    else if (!flow.server_closes || flow.client.fin_received())
      flow.client.close(now, out_);
    else
      flow.client_busy = false,
      flow.client_expects = flow.client.received() + 1;  // waits for the server's FIN
    return;
  }
  --flow.exchanges;
  flow.server_expects = flow.server.received() + flow.request;
  flow.client_expects = flow.client.received() + flow.response;
  flow.client_busy = false;
  flow.server_busy = false;
  flow.client.write(flow.request, now, out_);
}

void TcpTraffic::server_acts(Flow& flow, Timestamp now) {
  if (flow.server.fin_received()) {
    flow.server.close(now, out_);
    return;
  }
  flow.server_expects = 0;
  flow.server.write(flow.response, now, out_);
  if (flow.exchanges == 0 && flow.server_closes && !flow.resets)
    flow.server.close(now, out_);
  else if (flow.exchanges > 0)
    draw_exchange(flow);
  flow.server_busy = false;
}

bool TcpTraffic::handle(const Event& event, LabFrame& frame, std::vector<Sample>& truth) {
  if (event.what == What::begins) {
    begin(event.time);
    return false;
  }
  Flow& flow = flows_[event.flow];
  --flow.events;
  bool seen = false;
  out_.clear();
  switch (event.what) {
    case What::passes_observer:
      frame = builder_.tcp(event.time, flow.ends, event.segment);
      flow.truth.observe(event.segment, event.time, flow.ends, truth);
      forward(event.flow, event.segment, event.time, true);
      seen = true;
      break;
    case What::arrives:
      (event.segment.from_client ? flow.server : flow.client)
          .receive(event.segment, event.time, out_);
      break;
    case What::wakes_client:
      if (flow.client_wakes == event.time) flow.client_wakes = TcpEndpoint::never;
      if (flow.client.wake_at() <= event.time) flow.client.tick(event.time, out_);
      break;
    case What::wakes_server:
      if (flow.server_wakes == event.time) flow.server_wakes = TcpEndpoint::never;
      if (flow.server.wake_at() <= event.time) flow.server.tick(event.time, out_);
      break;
    case What::client_acts:
      client_acts(flow, event.time);
      break;
    case What::server_acts:
      server_acts(flow, event.time);
      break;
    case What::begins:
      break;
  }
  send(event.flow, out_, event.time);
  after(event.flow, event.time);
  if (flows_[event.flow].events == 0) free_.push_back(event.flow);
  return seen;
}

bool TcpTraffic::next(LabFrame& frame, std::vector<Sample>& truth) {
  while (!events_.empty()) {
    const Event event = events_.top();
    events_.pop();
    if (handle(event, frame, truth)) return true;
  }
  return false;
}

}  // namespace sojourn
