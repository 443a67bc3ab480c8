#pragma once
// For tests: traffic in memory, with all kinds of round trip in it.

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "capture/source.h"
#include "wire/test_packets.h"

namespace sojourn::test {

struct StoredPacket {
  std::int64_t time_ns;
  Bytes bytes;
};

/// Hands out stored packets in portions of up to `portion`.
///
/// If its bytes do not stay, it overwrites them at the next call, so that whoever kept a pointer
/// reads rubbish.
class MemorySource final : public Source {
 public:
  MemorySource(std::span<const StoredPacket> packets, std::size_t portion = 4096, bool stays = true)
      : packets_(packets), portion_(portion), stays_(stays) {}

  Filled next(std::span<Packet> batch) override {
    for (Bytes& bytes : lent_) std::ranges::fill(bytes, std::byte{0xee});
    lent_.clear();
    if (silent_turn_ = !silent_turn_; silent_turn_ && quiet_now_and_then) return {0, false};
    const std::size_t count = std::min({batch.size(), portion_, packets_.size() - at_});
    for (std::size_t i = 0; i < count; ++i) {
      const StoredPacket& stored = packets_[at_ + i];
      if (!stays_) lent_.push_back(stored.bytes);
    }
    for (std::size_t i = 0; i < count; ++i) {
      const StoredPacket& stored = packets_[at_ + i];
      batch[i] = packet_of(stays_ ? stored.bytes : lent_[i]);
      batch[i].time = timestamp_from_ns(stored.time_ns);
      counters_.bytes += stored.bytes.size();
    }
    at_ += count;
    counters_.packets += count;
    return {count, at_ == packets_.size()};
  }

  bool bytes_stay() const override { return stays_; }
  const SourceCounters& counters() const override { return counters_; }
  std::span<const std::string> warnings() const override { return {}; }
  double progress() const override { return -1; }

  bool quiet_now_and_then = false;  ///< every other call fills nothing, as a live source may

 private:
  std::span<const StoredPacket> packets_;
  std::size_t portion_;
  bool stays_;
  bool silent_turn_ = false;
  std::size_t at_ = 0;
  std::vector<Bytes> lent_;
  SourceCounters counters_;
};

/// Packets of many conversations mixed: TCP with handshake, timestamps, repeats and ends; DNS; NTP;
/// echoes; and some that nobody can read.
inline std::vector<StoredPacket> mixed_traffic(std::size_t packets, unsigned seed) {
  struct Connection {
    Ends ends;
    std::uint32_t sequence[2] = {100, 500}, clock = 1000;
    int step = 0;
  };
  std::mt19937 random{seed};
  std::vector<Connection> connections(60);
  for (std::size_t i = 0; i < connections.size(); ++i) {
    connections[i].ends.source += static_cast<std::uint32_t>(i / 4);
    connections[i].ends.source_port = static_cast<std::uint16_t>(40000 + i);
  }
  const auto framed = [](const Ends& ends, IpProtocol protocol, const Bytes& payload) {
    return ethernet(EtherType::ipv4, ipv4(ends, protocol, payload));
  };
  std::vector<StoredPacket> all;
  std::int64_t now = 1'700'000'000'000'000'000;
  while (all.size() < packets) {
    now += static_cast<std::int64_t>(random() % 200'000);
    Connection& connection = connections[random() % connections.size()];
    const auto choice = random() % 100;
    if (choice < 3) {
      all.push_back({now, ethernet(EtherType::arp, zeros(46))});
    } else if (choice < 15) {
      const bool reply = random() % 2;
      Ends ends = reply ? connection.ends.swapped() : connection.ends;
      all.push_back(
          {now, framed(ends, IpProtocol::icmp,
                       echo(reply ? 0 : 8, 7, static_cast<std::uint16_t>(random() % 20)))});
    } else if (choice < 25) {
      const bool reply = random() % 2;
      Ends ends = connection.ends;
      ends.destination_port = 53;
      if (reply) ends = ends.swapped();
      all.push_back(
          {now, framed(ends, IpProtocol::udp,
                       udp(ends.source_port, ends.destination_port,
                           dns(static_cast<std::uint16_t>(random() % 20), reply, "example.org")))});
    } else {
      const int step = connection.step++ % 40;
      if (step == 0) connection.sequence[0] += 1'000'000, connection.sequence[1] += 1'000'000;
      const bool reply = step == 1 || (step > 2 && random() % 2);
      const bool again = step > 3 && random() % 10 == 0;
      std::uint32_t& mine = connection.sequence[reply];
      Segment segment{.sequence = mine,
                      .acknowledgment = connection.sequence[!reply],
                      .payload = random() % 3 * 20};
      if (step == 0) segment.flags = tcp_syn;
      if (step == 1) segment.flags = tcp_syn | tcp_ack;
      if (step == 2) segment.flags = tcp_ack;
      if (step == 39) segment.flags = tcp_fin | tcp_ack;
      if (step < 3) segment.payload = 0;
      if (again) segment.sequence -= 20, segment.payload = 20;
      segment.options = aligned_timestamps(connection.clock + static_cast<std::uint32_t>(step),
                                           connection.clock + static_cast<std::uint32_t>(step) - 1);
      if (!again)
        mine += static_cast<std::uint32_t>(segment.payload) +
                ((segment.flags & (tcp_syn | tcp_fin)) != 0);
      const Ends ends = reply ? connection.ends.swapped() : connection.ends;
      all.push_back({now, framed(ends, IpProtocol::tcp, tcp(ends, segment))});
    }
  }
  return all;
}

}  // namespace sojourn::test
