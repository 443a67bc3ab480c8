// In the place of kernel_program.cpp where its tools were missing when this was built.

#include <cstdlib>
#include <string>

#include "dataplane/kernel_program.h"

#ifndef SOJOURN_WITH_KERNEL

namespace sojourn {

struct KernelProgram::State {};

KernelProgram::KernelProgram(std::unique_ptr<State> state) : state_(std::move(state)) {}
KernelProgram::KernelProgram(KernelProgram&&) noexcept = default;
KernelProgram& KernelProgram::operator=(KernelProgram&&) noexcept = default;
KernelProgram::~KernelProgram() = default;

std::string_view KernelProgram::missing() { return SOJOURN_KERNEL_MISSING; }

Result<KernelProgram> KernelProgram::load(const DataplaneOptions&, Hook) {
  return failure(std::string{"built without the kernel engine: "} + SOJOURN_KERNEL_MISSING);
}

// Nobody can have loaded one, so these are never reached.
const dp_config& KernelProgram::config() const { std::abort(); }
dp_control& KernelProgram::control() { std::abort(); }
dp_counters KernelProgram::counters() const { return {}; }
int KernelProgram::descriptor() const { return -1; }
std::size_t KernelProgram::memory_bytes() const { return 0; }
DataplaneHistograms KernelProgram::histograms() const { return {}; }
std::size_t KernelProgram::read(Take*, void*) { return 0; }
KernelProgram::Cost KernelProgram::cost() const { return {}; }
Result<void> KernelProgram::replay(const Packet&) { return failure("no kernel engine"); }
void KernelProgram::set_step(std::uint64_t) {}
Result<double> KernelProgram::time_runs(std::span<const std::byte>, unsigned, bool) {
  return failure("no kernel engine");
}

}  // namespace sojourn

#endif
