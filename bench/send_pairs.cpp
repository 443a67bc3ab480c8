// DNS queries and their answers, paced, onto an interface: round trips of 10 ms at a known rate.
//
//     sojourn-bench-pairs INTERFACE PACKETS_PER_SECOND SECONDS
//
// For the namespaces of bench/web_load.py: whoever captures at the other end of a veth pair sees
// each packet once.  Responders are spread over 500 prefixes of 198.18.0.0/15 (RFC 2544).  Prints
// packets that were sent, those the interface did not take, and seconds.

#include <arpa/inet.h>
#include <fmt/core.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

namespace {

constexpr std::size_t headers = 14 + 20 + 8, size = headers + 12 + 17 + 4;
using Frame = std::array<unsigned char, size>;
constexpr std::uint32_t prefixes = 500, clients = 50;

void put16(Frame& frame, std::size_t at, std::uint32_t value) {
  frame[at] = static_cast<unsigned char>(value >> 8);
  frame[at + 1] = static_cast<unsigned char>(value);
}
void put32(Frame& frame, std::size_t at, std::uint32_t value) {
  put16(frame, at, value >> 16);
  put16(frame, at + 2, value & 0xffff);
}

/// Number `pair`, the query or its answer.  The checksum of UDP is 0: there is none (RFC 768).
Frame frame_of(std::uint64_t pair, bool answer) {
  Frame frame{2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 8, 0, 0x45};
  const auto number = static_cast<std::uint32_t>(pair);
  const std::uint32_t client = 0xc0000200u + 1 + number % clients;  // 192.0.2.0/24
  const std::uint32_t server = 0xc6120000u + ((number * 7 % prefixes) << 8) + 53;
  const std::uint32_t port = 1024 + number / clients % 40'000;
  put16(frame, 16, size - 14);
  frame[22] = 64;  // hops
  frame[23] = 17;
  put32(frame, 26, answer ? server : client);
  put32(frame, 30, answer ? client : server);
  std::uint32_t sum = 0;
  for (std::size_t i = 14; i < 34; i += 2)
    sum += static_cast<std::uint32_t>(frame[i] << 8 | frame[i + 1]);
  while (sum >> 16) sum = (sum & 0xffff) + (sum >> 16);
  put16(frame, 24, ~sum & 0xffff);
  put16(frame, 34, answer ? 53 : port);
  put16(frame, 36, answer ? port : 53);
  put16(frame, 38, size - 34);
  put16(frame, 42, number);  // the query's number
  put16(frame, 44, answer ? 0x8180 : 0x0100);
  put16(frame, 46, 1);
  frame[54] = 15;
  for (std::size_t i = 0; i < 15; ++i)
    frame[55 + i] = static_cast<unsigned char>('a' + (pair >> (4 * i) & 15));
  frame[size - 3] = frame[size - 1] = 1;
  return frame;
}

}  // namespace

int main(int argc, char** argv) {
  const double rate = argc == 4 ? std::atof(argv[2]) : 0,
               seconds = argc == 4 ? std::atof(argv[3]) : 0;
  if (rate < 200 || seconds <= 0) {
    fmt::print(stderr, "usage: sojourn-bench-pairs INTERFACE PACKETS_PER_SECOND SECONDS\n");
    return 2;
  }
  const int port = ::socket(AF_PACKET, SOCK_RAW, 0);
  sockaddr_ll to{};
  to.sll_family = AF_PACKET;
  to.sll_ifindex = static_cast<int>(::if_nametoindex(argv[1]));
  if (port < 0 || to.sll_ifindex == 0 ||
      ::bind(port, reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0) {
    fmt::print(stderr, "{}: {}\n", argv[1], std::strerror(errno));
    return 1;
  }
  const auto packets = static_cast<std::uint64_t>(rate * seconds);
  const auto behind = static_cast<std::uint64_t>(rate / 2 * 0.010);  // pairs within 10 ms
  constexpr std::size_t most = 512;
  std::vector<Frame> frames(most);
  std::vector<iovec> parts(most);
  std::vector<mmsghdr> messages(most);
  std::uint64_t sent = 0, refused = 0, query = 0;
  bool turn = false;
  const auto start = std::chrono::steady_clock::now();
  while (sent + refused < packets) {
    const double passed =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const auto due = std::min(packets, static_cast<std::uint64_t>(passed * rate));
    const std::size_t now = std::min<std::size_t>(most, due - std::min(due, sent + refused));
    if (now == 0) {
      std::this_thread::sleep_for(std::chrono::microseconds{500});
      continue;
    }
    for (std::size_t i = 0; i < now; ++i) {
      const bool answer = turn && query >= behind;
      frames[i] = frame_of(answer ? query - behind : query, answer);
      if (!answer) ++query;
      turn = !answer;
      parts[i] = {frames[i].data(), size};
      messages[i] = {};
      messages[i].msg_hdr.msg_iov = &parts[i];
      messages[i].msg_hdr.msg_iovlen = 1;
    }
    for (std::size_t done = 0; done < now;) {
      const int count =
          ::sendmmsg(port, messages.data() + done, static_cast<unsigned>(now - done), 0);
      if (count <= 0) {
        refused += now - done;
        break;
      }
      sent += static_cast<std::uint64_t>(count);
      done += static_cast<std::size_t>(count);
    }
  }
  const double passed =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  ::close(port);
  fmt::print("{} {} {:.3f}\n", sent, refused, passed);
  return 0;
}
