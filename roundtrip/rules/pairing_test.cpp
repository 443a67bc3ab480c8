// Rules and table together, on random traffic, against a reference that keeps everything.

#include "roundtrip/rules/pairing.h"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "roundtrip/rules/test_conversation.h"

namespace sojourn {
namespace {

using namespace test;

/// A packet in numbers that do not wrap; the Summary gets their low 32 bits.
struct WidePacket {
  std::int64_t time = 0;
  std::size_t flow = 0;
  unsigned side = 0;
  Content content = Content::tcp;
  int flags = tcp_ack;
  std::uint64_t sequence = 0, acknowledgment = 0, ts_value = 0, ts_echo = 0, token = 0;
  std::uint32_t payload = 0;

  bool has(int flag) const { return (flags & flag) != 0; }
  std::uint64_t end() const { return sequence + payload + has(tcp_syn) + has(tcp_fin); }
};

std::string found(std::int64_t time, Kind kind, std::int64_t delay, bool ambiguous) {
  return fmt::format("{} {} {}{}", time, name_of(kind), delay, ambiguous ? " ambiguous" : "");
}

/// The rules of docs/design/pairing.md for tcp, tcp-ts, flow, dns and icmp, in the simplest form:
/// full keys, full history, nothing forgotten, every acknowledgment looked up.
class Reference {
 public:
  void take(const WidePacket& packet) {
    if (packet.content == Content::tcp) return tcp(packet);
    const Kind kind =
        packet.content == Content::dns_query || packet.content == Content::dns_response
            ? Kind::dns
            : Kind::icmp;
    if (packet.content == Content::dns_query || packet.content == Content::icmp_request)
      ask(packet, kind, packet.side, packet.token, true);
    else
      answer(packet, kind, 1 - packet.side, packet.token);
  }
  const std::vector<std::string>& lines() const { return lines_; }

 private:
  struct Waiting {
    std::int64_t since;
    bool ambiguous;
  };
  struct End {
    std::optional<std::uint64_t> acknowledged;  ///< highest
    std::set<std::uint64_t> ts_values;          ///< all that it ever sent on this connection
  };
  using Key = std::tuple<std::size_t, Kind, unsigned, std::uint64_t>;

  void tcp(const WidePacket& packet) {
    auto& ends = ends_[packet.flow];
    const unsigned me = packet.side, peer = 1 - me;
    if (packet.flags == tcp_syn) {
      if (opened_.insert({packet.flow, packet.sequence}).second) {
        ends = {};
        ++lives_[packet.flow];
        ask(packet, Kind::flow, 0, lives_[packet.flow], false);
      }
    }
    if (packet.has(tcp_fin | tcp_rst)) answer(packet, Kind::flow, 0, lives_[packet.flow]);

    if (packet.has(tcp_ack)) answer(packet, Kind::tcp_ts, peer, packet.ts_echo);
    if (ends[me].ts_values.insert(packet.ts_value).second && !packet.has(tcp_rst) &&
        packet.end() > packet.sequence && packet.ts_value == *ends[me].ts_values.rbegin())
      ask(packet, Kind::tcp_ts, me, packet.ts_value, false);

    if (packet.has(tcp_ack)) {
      answer(packet, Kind::tcp, peer, packet.acknowledgment);
      ends[me].acknowledged = std::max(packet.acknowledgment, ends[me].acknowledged.value_or(0));
    }
    const bool acknowledged = ends[peer].acknowledged && *ends[peer].acknowledged >= packet.end();
    if (packet.end() > packet.sequence && !packet.has(tcp_rst) && !acknowledged)
      ask(packet, Kind::tcp, me, packet.end(), true);
  }

  void ask(const WidePacket& packet, Kind kind, unsigned side, std::uint64_t token, bool karn) {
    const auto [place, is_new] =
        waiting_.try_emplace(Key{packet.flow, kind, side, token}, Waiting{packet.time, false});
    if (!is_new && karn) place->second.ambiguous = true;
  }
  void answer(const WidePacket& packet, Kind kind, unsigned side, std::uint64_t token) {
    const auto node = waiting_.extract(Key{packet.flow, kind, side, token});
    if (!node.empty())
      lines_.push_back(
          found(packet.time, kind, packet.time - node.mapped().since, node.mapped().ambiguous));
  }

  std::map<Key, Waiting> waiting_;
  std::map<std::size_t, std::array<End, 2>> ends_;
  std::map<std::size_t, std::uint64_t> lives_;
  std::set<std::pair<std::size_t, std::uint64_t>> opened_;
  std::vector<std::string> lines_;
};

/// Connections that open, send, repeat, overtake, acknowledge and close at random.
class Traffic {
 public:
  explicit Traffic(unsigned seed) : random_(seed) {
    for (Flow& flow : flows_) open(flow);
  }

  WidePacket next() {
    WidePacket packet;
    packet.time = now_ += static_cast<std::int64_t>(1 + random_() % 1000);
    packet.flow = random_() % flows_.size();
    packet.side = random_() % 2;
    Flow& flow = flows_[packet.flow];
    const auto choice = random_() % 100;
    if (choice < 20) {
      constexpr std::array contents{Content::dns_query, Content::dns_response,
                                    Content::icmp_request, Content::icmp_reply};
      packet.content = contents[random_() % contents.size()];
      packet.token = (std::uint64_t{0xabcd} << 40) + random_() % 8;
      return packet;
    }
    if (choice < 21) {
      open(flow);
      packet.side = 0;
      packet.flags = tcp_syn;
      packet.sequence = flow.next[0]++;
      flow.sent[0].push_back({packet.sequence, 0, tcp_syn});
    } else {
      send(packet, flow, choice);
    }
    // The first value is new, so that no value is echoed before it was sent.
    flow.clock[packet.side] += std::exchange(flow.spoke[packet.side], true) ? random_() % 2 : 1;
    packet.ts_value = flow.clock[packet.side];
    packet.ts_echo = flow.clock[1 - packet.side] - random_() % 3;
    return packet;
  }

 private:
  struct Sent {
    std::uint64_t sequence;
    std::uint32_t payload;
    int flags;
  };
  struct Flow {
    std::uint64_t next[2] = {0, 0}, clock[2] = {0, 0};
    bool spoke[2] = {false, false};
    std::vector<Sent> sent[2];
  };

  /// Ahead of all before it, as RFC 9293 section 3.4.1 requires; the tenth wraps.
  void open(Flow& flow) {
    const std::uint64_t ahead = ++lives_ * 100'000 - 1'000'000;
    for (unsigned side = 0; side < 2; ++side) {
      flow.next[side] = (std::uint64_t{1} << 34) - 300 + side + ahead;
      flow.clock[side] = (std::uint64_t{1} << 34) - 20 + ahead;
      flow.spoke[side] = false;
      flow.sent[side].clear();
    }
  }

  void send(WidePacket& packet, Flow& flow, std::uint64_t choice) {
    auto& mine = flow.sent[packet.side];
    const auto& theirs = flow.sent[1 - packet.side];
    // Acknowledge one of the last things the other end sent, not always the latest.
    packet.acknowledgment = flow.next[1 - packet.side];
    if (!theirs.empty()) {
      const Sent& sent =
          theirs[theirs.size() - 1 - random_() % std::min<std::size_t>(theirs.size(), 4)];
      packet.acknowledgment = sent.sequence + sent.payload + (sent.flags != tcp_ack);
    }
    if (choice < 50) {
      packet.sequence = flow.next[packet.side];  // a pure acknowledgment
    } else if (choice < 60 && !mine.empty()) {   // one of the last segments again
      const Sent& sent = mine[mine.size() - 1 - random_() % std::min<std::size_t>(mine.size(), 4)];
      std::tie(packet.sequence, packet.payload, packet.flags) =
          std::tuple(sent.sequence, sent.payload, sent.flags);
      if (sent.flags == tcp_syn) packet.acknowledgment = 0;
    } else {
      packet.sequence = flow.next[packet.side];
      packet.payload = static_cast<std::uint32_t>(random_() % 4 ? 1 + random_() % 30 : 1);
      if (choice > 97) packet.flags = tcp_ack | tcp_fin;
      if (choice == 97) packet.flags = tcp_ack | tcp_rst;
      if (!packet.has(tcp_rst)) {
        mine.push_back({packet.sequence, packet.payload, packet.flags});
        flow.next[packet.side] = packet.end();
      }
    }
  }

  std::mt19937_64 random_;
  std::int64_t now_ = 0;
  std::uint64_t lives_ = 0;
  std::vector<Flow> flows_ = std::vector<Flow>(5);
};

Summary summary_of(const WidePacket& wide) {
  static const std::array<std::byte, 40> ip = [] {  // two ends that differ
    std::array<std::byte, 40> bytes{};
    bytes[12] = std::byte{1};
    return bytes;
  }();
  Summary summary;
  summary.time = timestamp_from_ns(wide.time);
  summary.flow = keyed_hash(HashKey::from_seed(99), wide.flow, 0);
  summary.ip = ip.data();
  summary.ip_captured = 40;
  summary.payload_offset = 40;
  summary.source_port = wide.side == 0 ? 40000 : 443;
  summary.destination_port = wide.side == 0 ? 443 : 40000;
  summary.content = wide.content;
  summary.source_is_low = wide.side == 0;
  if (wide.content != Content::tcp) {
    summary.set_token(wide.token);
    return summary;
  }
  summary.sequence = static_cast<std::uint32_t>(wide.sequence);
  summary.acknowledgment = static_cast<std::uint32_t>(wide.acknowledgment);
  summary.tcp_flags = static_cast<std::uint8_t>(wide.flags);
  summary.payload = wide.payload;
  summary.window = 1000;
  summary.has_timestamps = true;
  summary.ts_value = static_cast<std::uint32_t>(wide.ts_value);
  summary.ts_echo = static_cast<std::uint32_t>(wide.ts_echo);
  return summary;
}

class PairingModel : public testing::TestWithParam<unsigned> {};

TEST_P(PairingModel, AgreesWithAReferenceThatKeepsEverything) {
  Traffic traffic{GetParam()};
  Reference reference;
  std::vector<Summary> packets;
  for (int i = 0; i < 20'000; ++i) {
    const WidePacket packet = traffic.next();
    reference.take(packet);
    packets.push_back(summary_of(packet));
  }

  PairingOptions options{.kinds = KindSet::none()};
  for (const Kind kind : {Kind::tcp, Kind::tcp_ts, Kind::flow, Kind::dns, Kind::icmp})
    options.kinds.add(kind);
  Pairing pairing{HashKey::from_seed(GetParam()), options};
  ExactTable table{{.initial_slots = 16}};
  std::vector<std::string> lines;
  for (std::size_t start = 0; start < packets.size(); start += 100)
    for (const PairEvent& event : pairing.events(std::span{packets}.subspan(start, 100)))
      if (event.is_request)
        table.request(event.key, event.time, event.flags);
      else if (const auto match = table.response(event.key, event.time))
        lines.push_back(
            found(to_ns(event.time), event.kind, to_ns(match->delay), match->ambiguous));

  // The order of kinds within a packet is unspecified.
  std::vector<std::string> expected = reference.lines();
  std::ranges::sort(expected);
  std::ranges::sort(lines);
  ASSERT_GT(expected.size(), 4000u);
  std::vector<std::string> missing, surplus;
  std::ranges::set_difference(expected, lines, std::back_inserter(missing));
  std::ranges::set_difference(lines, expected, std::back_inserter(surplus));
  EXPECT_EQ(missing, std::vector<std::string>{});
  EXPECT_EQ(surplus, std::vector<std::string>{});
}

INSTANTIATE_TEST_SUITE_P(Seeds, PairingModel, testing::Range(1u, 13u));

}  // namespace
}  // namespace sojourn
