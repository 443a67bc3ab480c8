// Round trips of a capture, by the library: the slowest networks, and how far the figures can be
// trusted.
//
//     c++ -std=c++20 stranger.cpp $(pkg-config --cflags --libs sojourn) -o stranger
//     ./stranger capture.pcap

#include <sojourn/sojourn.h>

#include <algorithm>
#include <iomanip>
#include <iostream>

namespace {

double milliseconds(std::int64_t ns) { return static_cast<double>(ns) / 1e6; }

void print(const std::string& label, const sojourn::Distribution& delays) {
  const auto p95 = delays.interval(0.95);
  if (!p95) return;
  std::cout << std::setw(24) << label << std::setw(9) << delays.samples() << " samples, p95 "
            << milliseconds(p95->delay_ns) << " ms, from " << milliseconds(p95->low_ns) << " to "
            << (p95->bounded_above ? "" : "more than ") << milliseconds(p95->high_ns) << " ms\n";
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) {
    std::cerr << "usage: stranger CAPTURE\n";
    return 2;
  }
  std::size_t slow = 0;
  auto trips = sojourn::RoundTrips::create(
      {.kinds = {sojourn::Kind::tcp, sojourn::Kind::dns}, .group_by = "prefix/24"},
      [&](std::span<const sojourn::Sample> samples) {
        slow += static_cast<std::size_t>(std::ranges::count_if(
            samples, [](const sojourn::Sample& sample) { return sample.delay_ns > 10'000'000; }));
      });
  if (!trips) {
    std::cerr << trips.error() << '\n';
    return 1;
  }
  if (const auto done = trips->read({arguments[1]}); !done) {
    std::cerr << done.error() << '\n';
    return 1;
  }
  std::cout << std::fixed << std::setprecision(2);
  for (const sojourn::Group& group : trips->groups(10))
    print(group.label + " " + std::string{name_of(group.kind)} + " " +
              std::string{name_of(group.leg)},
          group.distribution);
  std::cout << trips->packets() << " packets, " << slow << " delays above 10 ms\n";
}
