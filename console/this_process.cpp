#include "console/this_process.h"

#include <unistd.h>

#include <chrono>
#include <ctime>
#include <fstream>

namespace sojourn {

Timestamp wall_clock() {
  return std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
}

Duration thread_time() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds{time.tv_sec} + std::chrono::nanoseconds{time.tv_nsec};
}

std::uint64_t resident_bytes() {
  std::ifstream statm{"/proc/self/statm"};  // in pages
  std::uint64_t size = 0, resident = 0;
  statm >> size >> resident;
  return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace sojourn
