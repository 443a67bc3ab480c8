#pragma once
// Many simulated TCP connections, as an observer between clients and servers captures them.

#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

#include "lab/random.h"
#include "lab/round_trip_truth.h"
#include "lab/tcp_endpoint.h"
#include "lab/traffic_model.h"

namespace sojourn {

struct TcpTrafficOptions {
  std::uint64_t flows = 1'000;
  std::uint64_t packets = 100'000;  ///< approximate number sent
  double seconds = 10;              ///< in which the connections begin, at random
  double loss = 0;                  ///< share of packets lost between the ends
  double reorder = 0;               ///< share of packets reordered
  std::uint32_t snap_length = 128;
  std::uint64_t seed = 1;
};

/// Each connection opens, exchanges requests for responses (one in five sends more than it
/// receives), and ends by FIN from either end, or in one of twenty by RST.  Sizes are Pareto.  Nine
/// of ten have timestamps.  Round trips are those of delay_mixture.h; the observer is nearer to the
/// client.  A queue on each of the four half-paths keeps packets in order, except those that are
/// delayed at random by one to three milliseconds.
///
/// One heap of events for all connections: memory grows with the number of active connections.
class TcpTraffic final : public TrafficModel {
 public:
  explicit TcpTraffic(const TcpTrafficOptions& options);

  bool next(LabFrame& frame, std::vector<Sample>& truth) override;
  double progress() const override {
    return static_cast<double>(begun_) / static_cast<double>(options_.flows);
  }

 private:
  enum class What : std::uint8_t {
    begins,
    passes_observer,
    arrives,
    wakes_client,
    wakes_server,
    client_acts,
    server_acts
  };
  struct Event {
    Timestamp time;
    std::uint64_t order;
    std::uint32_t flow;  ///< its place in flows_
    What what;
    LabSegment segment;
    bool operator>(const Event& other) const {
      return time != other.time ? time > other.time : order > other.order;
    }
  };
  struct Flow {
    std::uint64_t number;
    LabEnds ends;
    TcpEndpoint client, server;
    RoundTripTruth truth;
    Duration half_way[2];                          ///< client to observer, observer to server
    Timestamp last_arrival[4];                     ///< of each half-way, in order
    std::uint64_t exchanges;                       ///< still to come
    std::uint64_t request, response;               ///< bytes of the present exchange
    std::uint64_t client_expects, server_expects;  ///< bytes received when it is complete
    bool resets, server_closes, client_busy, server_busy;
    Timestamp client_wakes, server_wakes;  ///< the next wake-up in the heap
    std::uint32_t events;                  ///< in the heap: the place is free when there are none
  };

  void begin(Timestamp now);
  Flow new_flow();
  void schedule(Timestamp time, std::uint32_t flow, What what, const LabSegment& segment = {});
  void send(std::uint32_t flow, TcpEndpoint::Out& segments, Timestamp now);
  void forward(std::uint32_t flow, const LabSegment& segment, Timestamp now, bool second_half);
  void after(std::uint32_t flow, Timestamp now);
  void client_acts(Flow& flow, Timestamp now);
  void server_acts(Flow& flow, Timestamp now);
  void draw_exchange(Flow& flow);
  bool handle(const Event& event, LabFrame& frame, std::vector<Sample>& truth);

  TcpTrafficOptions options_;
  Random random_;
  FrameBuilder builder_;
  std::uint64_t begun_ = 0, order_ = 0;
  double half_loss_;
  std::vector<Flow> flows_;
  std::vector<std::uint32_t> free_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  TcpEndpoint::Out out_;
};

}  // namespace sojourn
