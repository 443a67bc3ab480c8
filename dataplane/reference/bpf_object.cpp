#include "dataplane/reference/bpf_object.h"

#ifdef SOJOURN_WITH_KERNEL

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>

namespace sojourn {
namespace {

/// libbpf tells the story of a failed load line by line; we tell it in one.
int say_nothing(enum libbpf_print_level, const char*, va_list) { return 0; }

bpf_map* find(bpf_object* object, const char* name) {
  return bpf_object__find_map_by_name(object, name);
}

bpf_test_run_opts run_over(std::span<const std::byte> bytes, unsigned repeat) {
  bpf_test_run_opts run{};
  run.sz = sizeof run;
  run.data_in = bytes.data();
  run.data_size_in = static_cast<std::uint32_t>(bytes.size());
  run.repeat = static_cast<int>(repeat);
  return run;
}

Error run_error(int status) {
  return Error{std::string{"the test run failed: "} + std::strerror(-status)};
}

}  // namespace

void BpfObject::Close::operator()(bpf_object* object) const { bpf_object__close(object); }

Result<BpfObject> BpfObject::open(const void* elf, std::size_t size) {
  libbpf_set_print(say_nothing);
  BpfObject opened;
  opened.object_.reset(bpf_object__open_mem(elf, size, nullptr));
  if (!opened.object_) return failure("the program in this binary cannot be read");
  return opened;
}

void BpfObject::set_entries(const char* map, std::size_t entries) {
  bpf_map__set_max_entries(find(object_.get(), map), static_cast<std::uint32_t>(entries));
}

void BpfObject::set_constants(const void* constants, std::size_t size) {
  bpf_map__set_initial_value(find(object_.get(), ".rodata"), constants, size);
}

Result<void> BpfObject::load() {
  // Kernels before 5.11 account maps as locked memory.
  const rlimit unlimited{RLIM_INFINITY, RLIM_INFINITY};
  ::setrlimit(RLIMIT_MEMLOCK, &unlimited);
  const int code = -bpf_object__load(object_.get());
  if (code == 0) return {};
  if (code == EPERM)  // EACCES is the verifier's
    return failure("loading the program needs CAP_BPF, CAP_NET_ADMIN and CAP_PERFMON");
  if (code == ENOSYS) return failure("this kernel has no BPF");
  return failure(std::string{"the kernel refused the program: "} + std::strerror(code));
}

int BpfObject::map(const char* name) const { return bpf_map__fd(find(object_.get(), name)); }

int BpfObject::program(const char* name) const {
  return bpf_program__fd(bpf_object__find_program_by_name(object_.get(), name));
}

MappedMap BpfObject::memory(const char* map_name, std::size_t bytes) const {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return MappedMap{map(map_name), (bytes + page - 1) / page * page};
}

Result<void> replay_at_tc(int program, const Packet& packet) {
  // The kernel's test run takes a page less head- and tailroom; headers come first.
  constexpr std::size_t most = 2048, least = 14;
  const std::size_t size = std::min<std::size_t>(packet.captured, most);
  if (size < least) return failure("shorter than an Ethernet header");
  __sk_buff context{};
  context.tstamp = static_cast<std::uint64_t>(to_ns(packet.time));
  bpf_test_run_opts run = run_over({packet.data, size}, 1);
  run.ctx_in = &context;
  run.ctx_size_in = sizeof context;
  const int status = bpf_prog_test_run_opts(program, &run);
  if (status != 0) return std::unexpected(run_error(status));
  return {};
}

Result<double> time_at_tc(int program, std::span<const std::byte> bytes, unsigned repeat) {
  bpf_test_run_opts run = run_over(bytes, repeat);
  const int status = bpf_prog_test_run_opts(program, &run);
  if (status != 0) return std::unexpected(run_error(status));
  return static_cast<double>(run.duration);
}

}  // namespace sojourn

#endif
