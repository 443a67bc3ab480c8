// Small packets as fast as a socket takes them: DNS queries, each with a name of its own.
//
//     sojourn-bench-queries ADDRESS SECONDS
//
// For the namespaces of bench/kernel_live.py; no answer is needed.  Prints packets, seconds, and
// seconds of the CPU: on a machine that is busy with other things only the latter compare.

#include <arpa/inet.h>
#include <fmt/core.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ctime>

namespace {

constexpr std::size_t batch = 64, size = 12 + 17 + 4;
using Query = std::array<unsigned char, size>;

Query query(std::uint64_t number) {
  Query bytes{0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 15};
  bytes[0] = static_cast<unsigned char>(number >> 8);
  bytes[1] = static_cast<unsigned char>(number);
  for (std::size_t i = 0; i < 15; ++i)
    bytes[13 + i] = static_cast<unsigned char>('a' + (number >> (4 * i) & 15));
  bytes[size - 3] = bytes[size - 1] = 1;
  return bytes;
}

}  // namespace

int main(int argc, char** argv) {
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(53);
  const double seconds = argc == 3 ? std::atof(argv[2]) : 0;
  if (seconds <= 0 || ::inet_pton(AF_INET, argv[1], &to.sin_addr) != 1) {
    fmt::print(stderr, "usage: sojourn-bench-queries ADDRESS SECONDS\n");
    return 2;
  }
  const int port = ::socket(AF_INET, SOCK_DGRAM, 0);
  if (port < 0 || ::connect(port, reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0) {
    fmt::print(stderr, "{}: {}\n", argv[1], std::strerror(errno));
    return 1;
  }
  std::array<Query, batch> queries;
  std::array<iovec, batch> parts;
  std::array<mmsghdr, batch> messages{};
  for (std::size_t i = 0; i < batch; ++i) {
    parts[i] = {queries[i].data(), size};
    messages[i].msg_hdr.msg_iov = &parts[i];
    messages[i].msg_hdr.msg_iovlen = 1;
  }
  std::uint64_t sent = 0;
  const auto start = std::chrono::steady_clock::now();
  std::chrono::duration<double> passed{};
  while (passed.count() < seconds) {
    for (std::size_t i = 0; i < batch; ++i) queries[i] = query(sent + i);
    const int count = ::sendmmsg(port, messages.data(), batch, 0);
    if (count > 0) sent += static_cast<std::uint64_t>(count);
    passed = std::chrono::steady_clock::now() - start;
  }
  ::close(port);
  timespec used{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  fmt::print("{} {} {}\n", sent, passed.count(),
             static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) * 1e-9);
  return 0;
}
