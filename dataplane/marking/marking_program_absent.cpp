// In the place of marking_program.cpp where its tools were missing when this was built.

#include <cstdlib>
#include <string>

#include "dataplane/marking/marking_program.h"

#ifndef SOJOURN_WITH_KERNEL

namespace sojourn {

struct MarkingProgram::State {};

MarkingProgram::MarkingProgram(std::unique_ptr<State> state) : state_(std::move(state)) {}
MarkingProgram::MarkingProgram(MarkingProgram&&) noexcept = default;
MarkingProgram& MarkingProgram::operator=(MarkingProgram&&) noexcept = default;
MarkingProgram::~MarkingProgram() = default;

Result<MarkingProgram> MarkingProgram::load(const MarkingProgramOptions&) {
  return failure(std::string{"built without the kernel engine: "} + SOJOURN_KERNEL_MISSING);
}

// Nobody can have loaded one, so these are never reached.
int MarkingProgram::descriptor() const { return -1; }
Result<void> MarkingProgram::start_clock() { return failure("no kernel engine"); }
Timestamp MarkingProgram::now() const { return {}; }
bool MarkingProgram::follow_clock() { return false; }
Duration MarkingProgram::take_turn_lateness() { return {}; }
std::int64_t MarkingProgram::slots() const { return 1; }
void MarkingProgram::take(std::int64_t, Timestamp, std::vector<MarkingRecord>&) {}
MarkingLeftAlone MarkingProgram::left_alone() const { return {}; }
std::size_t MarkingProgram::memory_bytes() const { return 0; }
Result<std::vector<std::byte>> MarkingProgram::replay(const Packet&, unsigned) {
  return failure("no kernel engine");
}
Result<double> MarkingProgram::time_runs(std::span<const std::byte>, unsigned, Timed) {
  return failure("no kernel engine");
}

}  // namespace sojourn

#endif
