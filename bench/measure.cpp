// sojourn-bench-measure: runs a command and says what it cost, as one line of JSON on descriptor 3.
//
//     sojourn-bench-measure CORE COMMAND [ARGUMENT...]      CORE is a number, or - for any
//
// A program of its own rather than a few lines of Python: the kernel reports as a child's peak
// memory at least that of the process that forked it, and an interpreter would hide what a lean
// program needs.

#include <sched.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

constexpr int report_descriptor = 3;
constexpr int cannot_run = 127;

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

[[noreturn]] void run(const char* core, char** command) {
  if (std::strcmp(core, "-") != 0) {
    cpu_set_t cores;
    CPU_ZERO(&cores);
    CPU_SET(std::atoi(core), &cores);
    if (sched_setaffinity(0, sizeof cores, &cores) != 0) std::perror("sojourn-bench-measure");
  }
  close(report_descriptor);
  execvp(command[0], command);
  std::fprintf(stderr, "sojourn-bench-measure: cannot run %s: %s\n", command[0],
               std::strerror(errno));
  _exit(cannot_run);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "sojourn-bench-measure: CORE COMMAND [ARGUMENT...]\n");
    return 2;
  }
  const auto begin = std::chrono::steady_clock::now();
  const pid_t child = fork();
  if (child < 0) return cannot_run;
  if (child == 0) run(argv[1], argv + 2);
  int status = 0;
  rusage used{};
  if (wait4(child, &status, 0, &used) != child) return cannot_run;
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
  dprintf(report_descriptor,
          R"({"user_s": %.6f, "system_s": %.6f, "wall_s": %.6f, "peak_kib": %ld})"
          "\n",
          seconds(used.ru_utime), seconds(used.ru_stime), wall.count(), used.ru_maxrss);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
