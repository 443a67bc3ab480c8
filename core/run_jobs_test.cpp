#include "core/run_jobs.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace sojourn {
namespace {

TEST(RunJobs, DoesEachOnceWhateverTheThreads) {
  for (const unsigned threads : {0u, 1u, 2u, 8u}) {
    for (const std::size_t count : {0u, 1u, 3u, 500u}) {
      std::vector<std::atomic<int>> times(count);
      const auto here = std::this_thread::get_id();
      double last = 0;
      run_jobs(
          count, threads, [&](std::size_t i) { ++times[i]; },
          [&](double part) {
            EXPECT_EQ(std::this_thread::get_id(), here);
            EXPECT_GT(part, last);
            last = part;
          });
      for (const auto& one : times) EXPECT_EQ(one, 1);
      EXPECT_LE(last, 1);
    }
  }
}

}  // namespace
}  // namespace sojourn
