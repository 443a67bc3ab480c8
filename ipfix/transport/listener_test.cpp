#include "ipfix/transport/listener.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <vector>

#include "capture/unique_fd.h"
#include "ipfix/transport/test_stream.h"

namespace sojourn::ipfix {
namespace {

UniqueFd connect_to(const Listener& listener, int type = SOCK_STREAM) {
  UniqueFd socket{::socket(AF_INET, type, 0)};
  const auto addresses = resolve(
      {type == SOCK_STREAM ? Transport::tcp : Transport::udp, "127.0.0.1", listener.port()}, false);
  EXPECT_EQ(::connect(socket.get(), addresses->front().get(), addresses->front().length), 0);
  return socket;
}

void send_bytes(const UniqueFd& socket, std::span<const std::byte> bytes) {
  EXPECT_EQ(::send(socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL),
            static_cast<ssize_t>(bytes.size()));
}

/// Messages of a point, one by one.
std::vector<std::vector<std::byte>> messages(std::uint32_t records) {
  auto all = template_messages({.domain = 5}, {});
  auto spool = Spool::open({});
  std::uint64_t number = 1;
  write_flows(**spool, 0, records, number);
  while (const auto message = (*spool)->next()) {
    all.emplace_back(message->begin(), message->end());
    (*spool)->sent({});
  }
  return all;
}

const Listener::Deliver nobody = [](Delivery&) {};

TEST(Listener, MessagesMayComeInPieces) {
  auto listener = Listener::open(listen_on(Transport::tcp));
  const UniqueFd socket = connect_to(**listener);
  Received received;
  std::size_t bytes = 0;
  for (const auto& message : messages(30)) {
    bytes += message.size();
    for (std::size_t at = 0; at < message.size(); at += 7) {
      send_bytes(socket,
                 std::span{message}.subspan(at, std::min<std::size_t>(7, message.size() - at)));
      (*listener)->poll(milliseconds{0}, received.take());
    }
  }
  EXPECT_TRUE(
      poll_until(**listener, received.take(), [&] { return received.labels.size() == 30; }));
  EXPECT_EQ((*listener)->counters().bytes, bytes);
}

TEST(Listener, WhatIsNoIpfixIsCountedAndClosed) {
  auto listener = Listener::open(listen_on(Transport::tcp));
  for (int i = 0; i < 20; ++i) {
    const UniqueFd socket = connect_to(**listener);
    const std::string text = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
    send_bytes(socket, std::as_bytes(std::span{text}));
    EXPECT_TRUE(poll_until(**listener, nobody, [&] {
      return (*listener)->counters().closed_for_bad_messages == static_cast<unsigned>(i) + 1;
    }));
  }
  EXPECT_EQ((*listener)->open_connections(), 0u);
  EXPECT_EQ((*listener)->counters().troubles[Trouble::other_version], 20u);
  EXPECT_LE((*listener)->take_log().size(), 2u);
}

TEST(Listener, AFloodOfConnectionsIsRefusedAndOthersGoOn) {
  ListenerOptions options = listen_on(Transport::tcp);
  options.most_connections = 10;
  auto listener = Listener::open(options);
  const UniqueFd first = connect_to(**listener);
  (*listener)->poll(milliseconds{100}, nobody);
  std::vector<UniqueFd> flood;
  for (int i = 0; i < 50; ++i) flood.push_back(connect_to(**listener));
  EXPECT_TRUE(poll_until(**listener, nobody,
                         [&] { return (*listener)->counters().refused_connections == 41; }));
  EXPECT_EQ((*listener)->open_connections(), 10u);
  Received received;
  for (const auto& message : messages(30)) send_bytes(first, message);
  EXPECT_TRUE(
      poll_until(**listener, received.take(), [&] { return received.labels.size() == 30; }));
  EXPECT_EQ((*listener)->take_log().size(), 1u);
}

TEST(Listener, WhoKeepsAMessageWaitingIsClosed) {
  ListenerOptions options = listen_on(Transport::tcp);
  options.patience = std::chrono::seconds{1};
  auto listener = Listener::open(options);
  const UniqueFd silent = connect_to(**listener), slow = connect_to(**listener),
                 good = connect_to(**listener);
  const auto all = messages(30);
  send_bytes(slow, std::span{all[0]}.first(20));
  for (const auto& message : all) send_bytes(good, message);
  Received received;
  EXPECT_TRUE(poll_until(**listener, received.take(),
                         [&] { return (*listener)->counters().closed_for_slowness == 2; }));
  EXPECT_EQ((*listener)->open_connections(), 1u);
  EXPECT_EQ(received.labels.size(), 30u);
}

TEST(Listener, AFloodOfTemplatesCostsOnlyItsSender) {
  auto listener = Listener::open(listen_on(Transport::tcp));
  const UniqueFd bad = connect_to(**listener), good = connect_to(**listener);
  std::vector<std::byte> message(header_bytes + 12);
  store(message.data(), version);
  store(message.data() + 2, static_cast<std::uint16_t>(message.size()));
  store(message.data() + 16, template_set);
  store(message.data() + 18, std::uint16_t{12});
  store(message.data() + 22, std::uint16_t{1});
  store(message.data() + 24, std::uint16_t{8});
  store(message.data() + 26, std::uint16_t{4});
  for (unsigned i = 0; i < 20'000; ++i) {
    store(message.data() + 12, std::uint32_t{i / 1'000});
    store(message.data() + 20, static_cast<std::uint16_t>(256 + i % 1'000));
    send_bytes(bad, message);
    if (i % 100 == 0) (*listener)->poll(milliseconds{0}, nobody);
  }
  EXPECT_TRUE(
      poll_until(**listener, nobody, [&] { return (*listener)->counters().messages == 20'000; }));
  EXPECT_GE((*listener)->counters().troubles[Trouble::too_many_templates], 20'000u - 20 * 128);
  const auto log = (*listener)->take_log();
  ASSERT_EQ(log.size(), 1u) << "a line a day";
  EXPECT_TRUE(
      log[0].ends_with("cannot be read in full (too-many-templates); /metrics of --web and the "
                       "report at the end have the counts"))
      << log[0];
  Received received;
  for (const auto& right : messages(30)) send_bytes(good, right);
  EXPECT_TRUE(
      poll_until(**listener, received.take(), [&] { return received.labels.size() == 30; }));
  EXPECT_LE((*listener)->take_log().size(), 1u);
}

TEST(Listener, LostAndRepeatedDatagramsAreCounted) {
  auto listener = Listener::open(listen_on(Transport::udp));
  const UniqueFd socket = connect_to(**listener, SOCK_DGRAM);
  const auto all = messages(110);  // templates, and ten messages of eleven records
  ASSERT_EQ(all.size(), 11u);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i == 4) continue;
    send_bytes(socket, all[i]);
    if (i == 7) send_bytes(socket, all[i]);
  }
  Received received;
  EXPECT_TRUE(
      poll_until(**listener, received.take(), [&] { return received.numbers.size() == 9; }));
  EXPECT_EQ(received.labels.size(), 99u);
  EXPECT_EQ(received.missing, 12);  // its own record and eleven flows
  EXPECT_EQ(received.repeated, 1u);
  send_bytes(socket, all[4]);  // late
  EXPECT_TRUE(
      poll_until(**listener, received.take(), [&] { return received.numbers.size() == 10; }));
  EXPECT_EQ(received.missing, 0);
}

TEST(Listener, ManySourcesOfDatagramsAreForgottenInTurn) {
  ListenerOptions options = listen_on(Transport::udp);
  options.most_datagram_sources = 8;
  auto listener = Listener::open(options);
  const auto all = messages(11);
  Received received;
  std::vector<UniqueFd> sockets;  // stay open: the port of a closed one may be given again
  while (sockets.size() < 20) {
    sockets.push_back(connect_to(**listener, SOCK_DGRAM));
    send_bytes(sockets.back(), all[0]);
    EXPECT_TRUE(poll_until(**listener, received.take(),
                           [&] { return (*listener)->counters().messages == sockets.size(); }));
  }
  EXPECT_EQ((*listener)->counters().forgotten_sources, 12u);
}

TEST(Endpoint, IsReadAsPeopleWriteIt) {
  const auto read = [](std::string_view text) {
    const auto parsed = Endpoint::parse(text, Transport::tcp, HostPort::Use::listen);
    return parsed ? parsed->to_string() : "refused";
  };
  EXPECT_EQ(read("north.example"), "north.example:4739");
  EXPECT_EQ(read("192.0.2.1:99"), "192.0.2.1:99");
  EXPECT_EQ(read("[2001:db8::1]:99"), "[2001:db8::1]:99");
  EXPECT_EQ(read("2001:db8::1"), "[2001:db8::1]:4739");
  EXPECT_EQ(read(":99"), "*:99");
  EXPECT_EQ(read("north:"), "refused");
  EXPECT_EQ(read("north:70000"), "refused");
  EXPECT_EQ(read("[2001:db8::1"), "refused");
  EXPECT_EQ(Endpoint::parse("north", Transport::tls, HostPort::Use::connect)->port, 4740);
  EXPECT_FALSE(Endpoint::parse("north:0", Transport::tcp, HostPort::Use::connect));
}

}  // namespace
}  // namespace sojourn::ipfix
