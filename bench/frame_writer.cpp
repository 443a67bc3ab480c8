#include "bench/frame_writer.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "core/hash.h"
#include "wire/headers/internet_checksum.h"

namespace sojourn::bench {
namespace {

constexpr std::size_t block_bytes = 1 << 20;
constexpr std::size_t record_header = 16;
constexpr std::uint32_t ethernet_bytes = 14, ip_bytes = 20, tcp_bytes = 20, option_bytes = 12;
constexpr std::int64_t capture_start_s = 1'794'700'800;  // 2026-11-15 00:00:00 UTC

void put16(std::uint8_t* to, std::uint32_t value) {
  to[0] = static_cast<std::uint8_t>(value >> 8);
  to[1] = static_cast<std::uint8_t>(value);
}
void put32(std::uint8_t* to, std::uint32_t value) {
  put16(to, value >> 16);
  put16(to + 2, value);
}

/// Who talks and where counting starts, from the flow's number alone.
struct Connection {
  std::uint32_t client, server, client_isn, server_isn;
  std::uint16_t client_port;
  static constexpr std::uint16_t server_port = 5001;  // no dissector of tshark claims it

  explicit Connection(std::uint32_t flow) {
    std::uint64_t state = flow;
    const std::uint64_t first = split_mix(state), second = split_mix(state);
    client = 0x0a000000u | flow;  // 10.0.0.0/8
    server =
        0xc6120000u | (static_cast<std::uint32_t>(first) & 0x1ffffu);  // 198.18.0.0/15, RFC 2544
    client_port = static_cast<std::uint16_t>(32768 + (first >> 32) % 28232);
    client_isn = static_cast<std::uint32_t>(second);
    server_isn = static_cast<std::uint32_t>(second >> 32);
  }
};

struct TcpFields {
  bool from_client;
  std::uint32_t sequence, acknowledgment, payload;
  std::uint8_t flags;
};

constexpr std::uint8_t fin = 1, syn = 2, push = 8, ack = 16;

TcpFields fields_of(const PlannedPacket& packet, const Connection& connection,
                    std::uint32_t segment) {
  const bool client = client_sends(packet.flow);
  const std::uint32_t data = (client ? connection.client_isn : connection.server_isn) + 1;
  const std::uint32_t other = (client ? connection.server_isn : connection.client_isn) + 1;
  const std::uint32_t at = data + packet.number * segment;
  switch (packet.step) {
    case Step::syn:
      return {true, connection.client_isn, 0, 0, syn};
    case Step::syn_ack:
      return {false, connection.server_isn, connection.client_isn + 1, 0, syn | ack};
    case Step::established:
      return {true, connection.client_isn + 1, connection.server_isn + 1, 0, ack};
    case Step::data:
      return {client, at, other, segment, push | ack};
    case Step::ack:
      return {!client, other, at + segment, 0, ack};
    case Step::fin:
      return {client, at, other, 0, fin | ack};
    case Step::fin_ack:
      return {!client, other, at + 1, 0, fin | ack};
    case Step::last_ack:
      return {client, at + 1, other + 1, 0, ack};
  }
  return {};
}

void put_ip(std::uint8_t* ip, const PlannedPacket& packet, std::uint32_t from, std::uint32_t to,
            std::uint32_t length) {
  ip[0] = 0x45;
  put16(ip + 2, length);
  put16(ip + 4, packet.number);
  put16(ip + 6, 0x4000);  // don't fragment
  ip[8] = 64;
  ip[9] = 6;
  put32(ip + 12, from);
  put32(ip + 16, to);
  put16(ip + 10, checksum_of_sum(word_sum(std::as_bytes(std::span{ip, ip_bytes}))));
}

void put_tcp(std::uint8_t* tcp, const PlannedPacket& packet, const Connection& connection,
             const TcpFields& fields, std::uint32_t options) {
  put16(tcp, fields.from_client ? connection.client_port : Connection::server_port);
  put16(tcp + 2, fields.from_client ? Connection::server_port : connection.client_port);
  put32(tcp + 4, fields.sequence);
  put32(tcp + 8, fields.acknowledgment);
  tcp[12] = static_cast<std::uint8_t>((tcp_bytes + options) / 4 << 4);
  tcp[13] = fields.flags;
  put16(tcp + 14, 0xffff);
  if (options > 0) {
    put32(tcp + 20, 0x0101080a);  // two no-operations, then kind 8, length 10 (RFC 7323 appendix A)
    put32(tcp + 24, packet.ts_value);
    put32(tcp + 28, packet.ts_echo);
  }
  std::memset(tcp + tcp_bytes + options, static_cast<int>(packet.flow & 0xff), fields.payload);
  const std::uint32_t length = tcp_bytes + options + fields.payload;
  const std::uint32_t pseudo =
      word_sum(std::as_bytes(std::span{tcp - 8, 8})) + 6 + length;  // RFC 9293 section 3.1
  put16(tcp + 16, checksum_of_sum(pseudo + word_sum(std::as_bytes(std::span{tcp, length}))));
}

}  // namespace

FrameWriter::FrameWriter(std::FILE* file, const FrameOptions& options)
    : file_(file), options_(options), block_(block_bytes) {
  // Byte order of the machine, nanosecond magic, version 2.4, snap length, Ethernet.
  const std::uint32_t header[6] = {0xa1b23c4d, 0x00040002, 0, 0, 65535, 1};
  std::memcpy(block_.data(), header, sizeof header);
  used_ = sizeof header;
}

Result<FrameWriter> FrameWriter::open(const std::string& path, const FrameOptions& options) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (!file) return failure("cannot write " + path + ": " + std::strerror(errno));
  return FrameWriter{file, options};
}

Result<void> FrameWriter::write(const PlannedPacket& packet) {
  const Connection connection{packet.flow};
  const std::uint32_t options = options_.timestamps ? option_bytes : 0;
  const std::uint32_t headers = ethernet_bytes + ip_bytes + tcp_bytes + options;
  const TcpFields fields = fields_of(packet, connection, options_.data_bytes - headers);
  const std::uint32_t frame = std::max(
      fields.payload > 0 ? options_.data_bytes : options_.ack_bytes, headers + fields.payload);
  if (used_ + record_header + frame > block_.size()) {
    if (auto flushed = flush(); !flushed) return flushed;
  }

  std::uint8_t* to = block_.data() + used_;
  const std::int64_t ns = packet.time.count();
  const std::uint32_t record[4] = {static_cast<std::uint32_t>(capture_start_s + ns / 1'000'000'000),
                                   static_cast<std::uint32_t>(ns % 1'000'000'000), frame, frame};
  std::memcpy(to, record, record_header);
  to += record_header;
  std::memset(to, 0, frame);
  to[5] = fields.from_client ? 2 : 1;  // 02:00:00:00:00:01 and :02, locally administered
  to[11] = fields.from_client ? 1 : 2;
  to[0] = to[6] = 2;
  put16(to + 12, 0x0800);
  put_ip(to + ethernet_bytes, packet, fields.from_client ? connection.client : connection.server,
         fields.from_client ? connection.server : connection.client,
         headers - ethernet_bytes + fields.payload);
  put_tcp(to + ethernet_bytes + ip_bytes, packet, connection, fields, options);
  used_ += record_header + frame;
  return {};
}

Result<void> FrameWriter::flush() {
  const std::size_t size = std::exchange(used_, 0);
  if (std::fwrite(block_.data(), 1, size, file_.get()) != size)
    return failure(std::string{"cannot write: "} + std::strerror(errno));
  return {};
}

Result<void> FrameWriter::finish() {
  if (auto flushed = flush(); !flushed) return flushed;
  if (std::fclose(file_.release()) != 0)
    return failure(std::string{"cannot write: "} + std::strerror(errno));
  return {};
}

}  // namespace sojourn::bench
