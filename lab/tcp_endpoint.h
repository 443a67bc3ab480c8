#pragma once
// One end of a simulated TCP connection.

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "core/time.h"
#include "lab/frame_builder.h"

namespace sojourn {

inline constexpr std::uint32_t tcp_segment_bytes = 1448;  ///< 1500 with IP, TCP and timestamps

/// Handshake, sliding window with slow start and NewReno recovery (RFC 5681, RFC 6582), timeouts
/// with back-off (RFC 6298), delayed ACKs, out-of-order data, timestamps (RFC 7323), FIN.  No SACK,
/// no Nagle, no flow control: windows stay open.  It reads no clock and sends nothing: segments are
/// appended to `out`, and the caller transmits them and calls tick() at wake_at().
class TcpEndpoint {
 public:
  struct Options {
    bool is_client = true;
    bool timestamps = true;
    std::uint32_t isn = 0;
    std::uint32_t stamp_offset = 0;
    Duration least_timeout = std::chrono::milliseconds{200};
    Duration delayed_ack = std::chrono::milliseconds{40};
  };
  explicit TcpEndpoint(const Options& options);

  using Out = std::vector<LabSegment>;

  void open(Timestamp now, Out& out);  ///< client: sends the SYN
  void write(std::uint64_t bytes, Timestamp now, Out& out);
  void close(Timestamp now, Out& out);  ///< FIN behind all that was written
  void abort(Timestamp now, Out& out);  ///< RST at once
  void receive(const LabSegment& segment, Timestamp now, Out& out);
  void tick(Timestamp now, Out& out);

  /// When tick() is due; `never` if no timer is set.
  Timestamp wake_at() const { return std::min(retransmit_at_, acknowledge_at_); }
  static constexpr Timestamp never = Timestamp::max();

  bool established() const { return peer_known_ && una_ != options_.isn; }
  bool fin_received() const { return fin_received_; }
  bool gave_up() const { return gave_up_; }
  std::uint64_t received() const { return received_; }  ///< bytes in order

 private:
  struct Sent {
    std::uint32_t sequence, payload;
    std::uint8_t flags;
    bool lost = false;  ///< to be retransmitted
    std::uint32_t end() const;
  };
  struct Range {
    std::uint32_t begin, end;
    bool has_fin;
  };

  LabSegment make(std::uint8_t flags, std::uint32_t sequence, std::uint32_t payload, Timestamp now);
  void emit(Sent& sent, Timestamp now, Out& out);
  void emit_ack(Timestamp now, Out& out);
  void take_acknowledgment(const LabSegment& segment, Timestamp now, Out& out);
  void take_data(const LabSegment& segment, Timestamp now, Out& out);
  void absorb();
  void send_more(Timestamp now, Out& out);
  void restart_timer(Timestamp now);
  std::uint32_t stamp(Timestamp now) const;
  std::size_t in_flight() const;

  Options options_;
  std::deque<Sent> outstanding_;
  std::uint64_t unsent_ = 0;
  std::uint32_t una_, next_;  ///< oldest unacknowledged, and next to send
  bool fin_wanted_ = false, fin_sent_ = false, gave_up_ = false;
  double window_ = 10, threshold_ = 64;  ///< segments; RFC 6928: ten at first
  int duplicate_acks_ = 0, backoff_ = 0;
  std::optional<std::uint32_t> recover_;  ///< RFC 6582: recovery ends when this is acknowledged
  Duration smoothed_{0};                  ///< round trip, RFC 6298
  std::optional<std::pair<std::uint32_t, Timestamp>> timed_;  ///< end of the segment being timed

  bool peer_known_ = false, fin_received_ = false;
  std::uint32_t expected_ = 0;  ///< next byte from the peer
  std::uint64_t received_ = 0;
  std::vector<Range> early_;  ///< beyond a gap
  int unacknowledged_ = 0;
  std::uint32_t stamp_recent_ = 0;
  Timestamp retransmit_at_ = never, acknowledge_at_ = never;
};

}  // namespace sojourn
