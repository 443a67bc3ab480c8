#pragma once
// The program that selects packets by their hash in the kernel, as this process holds it.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "core/packet.h"
#include "core/result.h"
#include "dataplane/kernel/select_abi.h"

namespace sojourn {

struct SelectionProgramOptions {
  std::uint32_t init = 0;           ///< of the label that selects
  std::uint32_t max = 0xffff'ffff;  ///< selected is whose label is not above
  std::size_t ring_bytes = std::size_t{4} << 20;
  bool replay = false;  ///< packets bring their own time
  bool steps = false;   ///< benchmark: every run has another label
};

/// Loaded, not yet attached to anything.  Reading needs no privilege once it is loaded; when it
/// goes, the program goes with it unless something else holds it.
class SelectionProgram {
 public:
  /// Loads and verifies.  The error names the capability that is missing, if that is the reason.
  static Result<SelectionProgram> load(const SelectionProgramOptions& options);

  SelectionProgram(SelectionProgram&&) noexcept;
  SelectionProgram& operator=(SelectionProgram&&) noexcept;
  ~SelectionProgram();

  dp_select_counters counters() const;  ///< of all CPUs together
  int descriptor() const;               ///< of the program, to attach it

  /// Hands over what the ring holds, until `take` returns false; the bytes are the ring's and end
  /// with the call.
  using Take = bool(void* context, const dp_handed& head, std::span<const std::byte> bytes);
  void read(Take* take, void* context);
  template <class Use>
  void read(Use& use) {
    read(
        [](void* context, const dp_handed& head, std::span<const std::byte> bytes) {
          return (*static_cast<Use*>(context))(head, bytes);
        },
        &use);
  }

  /// One packet through the program as if it had passed at its own time (BPF_PROG_TEST_RUN); for
  /// a program loaded with `replay`.
  Result<void> replay(const Packet& packet);
  /// Mean time of `repeat` runs over one packet, in nanoseconds; of the empty program if asked.
  Result<double> time_runs(std::span<const std::byte> bytes, unsigned repeat, bool empty);

 private:
  struct State;
  explicit SelectionProgram(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace sojourn
