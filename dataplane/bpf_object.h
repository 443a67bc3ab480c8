#pragma once
// What every program that this process puts into the kernel needs: its object, maps and ring.
// Included by .cpp files only, and only where the kernel engine is built.

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>

#include "core/result.h"
#include "dataplane/mapped_map.h"

namespace sojourn {

struct CloseObject {
  void operator()(bpf_object* object) const { bpf_object__close(object); }
};
struct FreeRing {
  void operator()(ring_buffer* ring) const { ring_buffer__free(ring); }
};

inline std::size_t page_rounded(std::size_t bytes) {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return (bytes + page - 1) / page * page;
}

/// libbpf tells the story of a failed load line by line; we tell it in one.
inline int be_silent(enum libbpf_print_level, const char*, va_list) { return 0; }

inline Error load_error(int status, const char* program) {
  const int code = -status;
  if (code == EPERM)  // EACCES is the verifier's
    return Error{"loading the program needs CAP_BPF, CAP_NET_ADMIN and CAP_PERFMON"};
  if (code == ENOSYS) return Error{"this kernel has no BPF"};
  return Error{fmt::format("the kernel refused the {} program: {}", program, std::strerror(code))};
}

/// Nanoseconds that the kernel takes for one run of the program on these bytes, of `repeat`.
inline Result<double> time_test_runs(int program, std::span<const std::byte> bytes,
                                     unsigned repeat) {
  bpf_test_run_opts run{};
  run.sz = sizeof run;
  run.data_in = bytes.data();
  run.data_size_in = static_cast<std::uint32_t>(bytes.size());
  run.repeat = static_cast<int>(repeat);
  const int status = bpf_prog_test_run_opts(program, &run);
  if (status != 0) return failure(std::string{"the test run failed: "} + std::strerror(-status));
  return static_cast<double>(run.duration);
}

}  // namespace sojourn
