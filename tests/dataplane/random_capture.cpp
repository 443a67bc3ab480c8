#include "tests/dataplane/random_capture.h"

#include <algorithm>
#include <array>
#include <random>
#include <utility>

namespace sojourn {
namespace {

constexpr unsigned fin = 1, syn = 2, rst = 4, ack = 16;

struct Side {
  std::uint32_t host = 0;
  unsigned port = 0;
  std::uint32_t sent = 0;  ///< next sequence number
  std::vector<std::pair<std::uint32_t, std::uint32_t>> segments = {};
  std::uint32_t clock = 1;  ///< of its timestamps
};
using Connection = std::array<Side, 2>;

class Generator {
 public:
  Generator(std::uint64_t seed, std::vector<std::byte>& bytes) : random_(seed), bytes_(bytes) {
    constexpr std::array ports{2049u, 80u, 443u, 700u, 999u, 8080u, 20001u, 40000u, 40000u, 50001u};
    for (std::size_t i = 0; i < connections_.size(); ++i)
      for (std::uint32_t side = 0; side < 2; ++side)
        connections_[i][side] = {0x0a000001 + side + (static_cast<std::uint32_t>(i) << 8),
                                 ports[below(ports.size())], below(1u << 31)};
  }

  /// One frame; its length.
  std::size_t next() {
    if (below(6) == 0) return query_or_echo();
    Connection& connection = connections_[below(connections_.size())];
    const unsigned from = below(2);
    Side &mine = connection[from], &theirs = connection[1 - from];
    const unsigned what = below(100);
    mine.clock += below(3);
    if (what < 3) return begin(mine, theirs, syn);
    if (what < 7) return begin(mine, theirs, syn | ack);
    if (what < 9) return segment(mine, theirs, mine.sent, 0, below(2) ? rst : fin | ack);
    if (what < 40) {  // new data, some of it super-packets or jumbo frames
      const unsigned size = below(8) == 0   ? 1501 + below(60'000)
                            : below(4) == 0 ? 1501 + below(7'000)
                            : below(5) == 0 ? 1
                                            : 1 + below(1448);
      const std::uint32_t start = mine.sent + (below(20) == 0 ? 1448 : 0);
      mine.sent = start + size;
      mine.segments.emplace_back(start, size);
      return segment(mine, theirs, start, size, ack);
    }
    if (what < 52 && !mine.segments.empty()) {  // again, all or a part, or merged with what follows
      const auto [start, size] = mine.segments[mine.segments.size() - 1 - recent(mine)];
      const std::uint32_t cut = below(3) == 0 && size > 2 ? below(size - 1) : 0;
      return segment(mine, theirs, start + cut, size - cut, ack);
    }
    return segment(mine, theirs, mine.sent, 0, ack);
  }

  std::int64_t pause_ns() {
    const unsigned what = below(1000);
    if (what == 0) return 130'000'000'000;
    if (what < 8) return 1'000'000'000 * std::int64_t{1 + below(15)};
    return 1'000 + below(2'000'000);
  }

 private:
  std::uint32_t below(std::uint64_t end) { return static_cast<std::uint32_t>(random_() % end); }
  std::size_t recent(const Side& side) {
    return below(std::min<std::size_t>(side.segments.size(), 70));
  }

  std::size_t begin(Side& mine, const Side& theirs, unsigned flags) {
    if (below(2) == 0) {  // a new connection with reused ports
      mine.sent = below(2) ? mine.sent + 100'000 + below(1u << 20) : below(1u << 31);
      mine.segments.clear();
    }
    const std::size_t size = segment(mine, theirs, mine.sent, below(10) == 0 ? 5 : 0, flags);
    if (mine.segments.empty()) mine.sent += 1;
    return size;
  }

  /// What the other end sent: all, up to some segment, into the middle of one, or nonsense.
  std::uint32_t acknowledgment(const Side& theirs) {
    const unsigned what = below(10);
    if (what == 0) return below(1u << 31);
    if (what < 4 || theirs.segments.empty()) return theirs.sent;
    const auto [start, size] = theirs.segments[theirs.segments.size() - 1 - recent(theirs)];
    return what < 8 ? start + size : start + below(size) / 1448 * 1448;
  }

  std::size_t segment(const Side& mine, const Side& theirs, std::uint32_t sequence, unsigned size,
                      unsigned flags) {
    const std::size_t before = bytes_.size();
    const bool timestamps = below(2) == 0;
    const unsigned header = timestamps ? 32 : 20;
    ethernet_and_ip(6, header + size, mine.host, theirs.host);
    u16(mine.port).u16(theirs.port).u32(sequence).u32(flags & ack ? acknowledgment(theirs) : 0);
    u8(header << 2).u8(flags).u16(below(30) == 0 ? 0 : 1000).u32(0);
    if (timestamps) u32(0x0101080a).u32(mine.clock).u32(theirs.clock - below(2));
    return bytes_.size() - before;
  }

  std::size_t query_or_echo() {
    const std::size_t before = bytes_.size();
    const bool reply = below(2) == 0;
    const std::uint32_t client = 0x0a010001 + below(2), server = 0x0a020001;
    if (below(2)) {
      ethernet_and_ip(1, 8, reply ? server : client, reply ? client : server);
      u8(reply ? 0 : 8).u8(0).u16(0).u16(7).u16(below(12));
    } else {
      ethernet_and_ip(17, 8 + 12 + 7, reply ? server : client, reply ? client : server);
      reply ? u16(53).u16(40000) : u16(40000).u16(53);
      u16(8 + 12 + 7).u16(0).u16(below(6)).u16(reply ? 0x8180 : 0x0100).u16(1).u16(0).u32(0);
      u8(1).u8('a' + below(2)).u8(0).u16(1).u16(1);
    }
    return bytes_.size() - before;
  }

  void ethernet_and_ip(unsigned protocol, unsigned length, std::uint32_t from, std::uint32_t to) {
    u32(0x02000000).u16(1).u32(0x02000000).u16(2).u16(0x0800);
    // A new identification each time: no packet here is a duplicate.
    u16(0x4500).u16(20 + length).u16(++identification_ & 0xffff).u16(0).u8(64).u8(protocol).u16(0);
    u32(from).u32(to);
  }
  Generator& u8(unsigned value) {
    bytes_.push_back(static_cast<std::byte>(value));
    return *this;
  }
  Generator& u16(unsigned value) { return u8(value >> 8 & 0xff).u8(value & 0xff); }
  Generator& u32(std::uint32_t value) { return u16(value >> 16).u16(value & 0xffff); }

  std::mt19937_64 random_;
  std::vector<std::byte>& bytes_;
  std::array<Connection, 12> connections_;
  unsigned identification_ = 0;
};

}  // namespace

std::vector<Packet> random_packets(std::uint64_t seed, std::size_t count,
                                   std::vector<std::byte>& bytes,
                                   std::vector<std::size_t>& offsets) {
  Generator generator{seed, bytes};
  std::vector<Packet> packets;
  std::int64_t now_ns = 1'700'000'000'000'000'000;
  for (std::size_t i = 0; i < count; ++i) {
    Packet packet;
    offsets.push_back(bytes.size());
    packet.captured = packet.length = static_cast<std::uint32_t>(generator.next());
    packet.link = LinkType::ethernet;
    packet.time = timestamp_from_ns(now_ns += generator.pause_ns());
    packets.push_back(packet);
  }
  return packets;
}

}  // namespace sojourn
