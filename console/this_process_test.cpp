#include "console/this_process.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <span>
#include <thread>

namespace sojourn {
namespace {

using namespace std::chrono_literals;

TEST(ThisProcess, ClockIsTheTimeOfDay) {
  const auto before = std::chrono::system_clock::now();
  const Timestamp now = wall_clock();
  EXPECT_GE(now, before);
  EXPECT_LE(now, std::chrono::system_clock::now());
}

TEST(ThisProcess, ThreadTimeGrowsWithWorkAndNotWithSleep) {
  const Duration asleep = thread_time();
  std::this_thread::sleep_for(100ms);
  EXPECT_LT(thread_time() - asleep, 50ms);
  std::jthread other{[](const std::stop_token& stop) { while (!stop.stop_requested()); }};
  const Duration busy = thread_time();
  volatile unsigned sum = 0;
  while (thread_time() - busy < 20ms) sum = sum + 1;  // ends: this thread computes
  const auto began = std::chrono::steady_clock::now();
  const Duration idle = thread_time();
  std::this_thread::sleep_for(100ms);
  EXPECT_GE(std::chrono::steady_clock::now() - began, 100ms);
  EXPECT_LT(thread_time() - idle, 50ms) << "what another thread computes does not count";
}

TEST(ThisProcess, MemoryThatIsWrittenToIsResident) {
  constexpr std::size_t size = std::size_t{32} << 20;
  const std::uint64_t before = resident_bytes();
  EXPECT_GT(before, 0u);
  const auto memory = std::make_unique_for_overwrite<std::byte[]>(size);
  std::ranges::fill(std::span{memory.get(), size}, std::byte{1});
  EXPECT_GE(resident_bytes(), before + size / 2);
}

}  // namespace
}  // namespace sojourn
