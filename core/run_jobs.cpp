#include "core/run_jobs.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace sojourn {

void run_jobs(std::size_t count, unsigned threads, const std::function<void(std::size_t)>& job,
              const std::function<void(double)>& progress) {
  std::atomic<std::size_t> next{0}, done{0};
  const auto work = [&](const std::function<void(double)>& tell) {
    for (std::size_t i = next++; i < count; i = next++) {
      job(i);
      tell(static_cast<double>(++done) / static_cast<double>(count));
    }
  };
  std::vector<std::jthread> others;  // ends when they do
  for (std::size_t i = 1; i < std::min<std::size_t>(threads, count); ++i)
    others.emplace_back([&work] { work([](double) {}); });
  work(progress);
}

}  // namespace sojourn
