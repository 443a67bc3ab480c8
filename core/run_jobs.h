#pragma once
// Independent jobs on several threads.

#include <cstddef>
#include <functional>

namespace sojourn {

/// Calls job(i) for every i below `count`, on up to `threads` threads, including the caller.
/// `progress` is called with the share done, on the calling thread only.
void run_jobs(
    std::size_t count, unsigned threads, const std::function<void(std::size_t)>& job,
    const std::function<void(double)>& progress = [](double) {});

}  // namespace sojourn
