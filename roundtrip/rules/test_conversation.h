#pragma once
// For tests: a conversation of two ends, packet by packet, and the pairs found in it.

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <list>
#include <string>
#include <vector>

#include "core/hash.h"
#include "roundtrip/rules/pairing.h"
#include "roundtrip/tables/exact_table.h"
#include "wire/summary.h"

namespace sojourn::test {

using Payload = std::vector<std::byte>;

enum class From { client, server };

/// Conversations start long after 1970, so that an uninitialised time is noticed.
inline Timestamp at_ms(double ms) {
  return timestamp_from_ns(1'700'000'000'000'000'000 + static_cast<std::int64_t>(ms * 1e6));
}

struct TcpPacket {
  double ms = 0;  ///< when it passed
  From from = From::client;
  int flags = tcp_ack;
  std::uint32_t sequence = 0;
  std::uint32_t acknowledgment = 0;
  std::uint32_t payload = 0;
  std::uint16_t window = 1000;
  bool timestamps = false;
  std::uint32_t ts_value = 0;
  std::uint32_t ts_echo = 0;
  bool first_fragment = false;
  Payload bytes = {};  ///< of the payload, if they matter: then `payload` is their number
};

struct Datagram {
  double ms = 0;
  From from = From::client;
  Content content = Content::dns_query;
  std::uint64_t token = 0;
  bool initial = false;
  bool spin = false;
  bool fixed_bit = true;  ///< of a QUIC short header
  bool ipv6 = false;      ///< the client is ::1, the server ::2
};

/// What the rules and the exact table found in a conversation.
struct Pairs {
  std::vector<std::string> found;  ///< "server 30ms", "sum 50ms ambiguous", in order
  int requests = 0;                ///< stored in the table, without halves of spans

  friend bool operator==(const Pairs&, const Pairs&) = default;
};

inline std::ostream& operator<<(std::ostream& out, const Pairs& pairs) {
  out << pairs.requests << " requests;";
  for (const std::string& line : pairs.found) out << " [" << line << "]";
  return out;
}

/// The client is 192.0.2.1:40000, the server 198.51.100.2 with the given port.
class Conversation {
 public:
  explicit Conversation(std::uint16_t server_port = 443, bool client_is_low = true)
      : server_port_(server_port), client_is_low_(client_is_low) {}

  Conversation& add(const TcpPacket& packet) {
    Summary summary = start(packet.ms, packet.from, Content::tcp);
    summary.tcp_flags = static_cast<std::uint8_t>(packet.flags);
    summary.sequence = packet.sequence;
    summary.acknowledgment = packet.acknowledgment;
    summary.window = packet.window;
    summary.has_timestamps = packet.timestamps;
    summary.ts_value = packet.ts_value;
    summary.ts_echo = packet.ts_echo;
    summary.first_fragment = packet.first_fragment;
    summary.payload_offset = 40;
    summary.payload = packet.payload;
    Payload& ip = headers_.back();
    if (!packet.bytes.empty()) {
      ip.resize(40);
      ip.insert(ip.end(), packet.bytes.begin(), packet.bytes.end());
      summary.payload = static_cast<std::uint32_t>(packet.bytes.size());
    }
    summary.ip = ip.data();
    summary.ip_captured = static_cast<std::uint16_t>(ip.size());
    packets_.push_back(summary);
    return *this;
  }

  Conversation& send(const Datagram& datagram) {
    Summary summary = start(datagram.ms, datagram.from, datagram.content);
    summary.set_token(datagram.token);
    summary.quic_initial = datagram.initial;
    summary.quic_spin = datagram.spin;
    if (datagram.ipv6) {
      Payload& ip = headers_.back();
      ip.assign(40, std::byte{0});
      const bool from_client = datagram.from == From::client;
      ip[8 + 15] = from_client ? std::byte{1} : std::byte{2};
      ip[24 + 15] = from_client ? std::byte{2} : std::byte{1};
      summary.is_ipv6 = true;
      summary.ip = ip.data();
      summary.ip_captured = 40;
    }
    if (datagram.content == Content::quic_short) {
      headers_.back().resize(29, datagram.fixed_bit ? std::byte{0x40} : std::byte{0});
      summary.ip = headers_.back().data();
      summary.ip_captured = 29;
      summary.payload_offset = 28;
    }
    packets_.push_back(summary);
    return *this;
  }

  /// All packets in batches of `batch`, through rules and table of one kind alone.
  Pairs pairs(Kind kind, PairingOptions options = {}, std::size_t batch = 3) const {
    options.kinds = KindSet::none();
    options.kinds.add(kind);
    Pairing pairing{HashKey::from_seed(7), options};
    ExactTable table{{.initial_slots = 16}};
    Pairs result;
    for (std::size_t start = 0; start < packets_.size(); start += batch) {
      const std::span rest = std::span{packets_}.subspan(start);
      for (const PairEvent& event : pairing.events(rest.first(std::min(batch, rest.size()))))
        take(event, kind, table, result);
    }
    return result;
  }

  std::vector<Summary>& packets() { return packets_; }
  Summary& last() { return packets_.back(); }

 private:
  Summary start(double ms, From from, Content content) {
    const bool from_client = from == From::client;
    const std::array<std::byte, 4> client{std::byte{192}, std::byte{0}, std::byte{2}, std::byte{1}};
    const std::array<std::byte, 4> server{std::byte{198}, std::byte{51}, std::byte{100},
                                          std::byte{2}};
    Payload& ip = headers_.emplace_back(20);
    std::ranges::copy(from_client ? client : server, ip.begin() + 12);
    std::ranges::copy(from_client ? server : client, ip.begin() + 16);
    Summary summary;
    summary.time = at_ms(ms);
    summary.flow = 0x1234567890abcdef;
    summary.ip = ip.data();
    summary.ip_captured = 20;
    summary.source_port = from_client ? 40000 : server_port_;
    summary.destination_port = from_client ? server_port_ : 40000;
    summary.content = content;
    summary.source_is_low = from_client == client_is_low_;
    return summary;
  }

  static void take(const PairEvent& event, Kind kind, ExactTable& table, Pairs& result) {
    if (event.kind != kind) result.found.emplace_back("an event of another kind");
    if (event.is_request) {
      const Admission admission = table.request(event.key, event.time, event.flags);
      result.requests += admission == Admission::stored && !(event.flags & half_of_span);
    } else if (const auto match = table.response(event.key, event.time)) {
      result.found.push_back(fmt::format("{} {:g}ms{}", name_of(event.leg),
                                         static_cast<double>(to_ns(match->delay)) / 1e6,
                                         match->ambiguous ? " ambiguous" : ""));
    }
  }

  std::uint16_t server_port_;
  bool client_is_low_;
  std::list<Payload> headers_;  ///< a list: summaries point into its members
  std::vector<Summary> packets_;
};

/// A three-way handshake at 0, 30 and 50 ms; the client's first byte is 101, the server's 501.
inline Conversation established(std::uint16_t server_port = 443, bool client_is_low = true) {
  Conversation talk{server_port, client_is_low};
  talk.add({.ms = 0, .flags = tcp_syn, .sequence = 100});
  talk.add({.ms = 30,
            .from = From::server,
            .flags = tcp_syn | tcp_ack,
            .sequence = 500,
            .acknowledgment = 101});
  talk.add({.ms = 50, .sequence = 101, .acknowledgment = 501});
  return talk;
}

}  // namespace sojourn::test
