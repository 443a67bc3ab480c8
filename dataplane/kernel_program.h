#pragma once
// The program in the kernel as this process holds it: loaded, not yet attached to anything.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>

#include "core/packet.h"
#include "core/result.h"
#include "dataplane/dataplane_histograms.h"
#include "dataplane/dataplane_options.h"

namespace sojourn {

/// Where packets meet the program.
enum class Hook : std::uint8_t {
  tc,   ///< both directions of a host or router
  xdp,  ///< what comes in, before the kernel has made anything of it: a mirror port
};

/// Its maps and the ring of samples.  Reading needs no privilege once it is loaded; when it goes,
/// the program goes with it unless something else holds it.
class KernelProgram {
 public:
  /// Why this binary was built without the program; empty if it was built with it.
  static std::string_view missing();

  /// Loads and verifies.  The error names the capability that is missing, if that is the reason.
  static Result<KernelProgram> load(const DataplaneOptions& options, Hook hook);

  KernelProgram(KernelProgram&&) noexcept;
  KernelProgram& operator=(KernelProgram&&) noexcept;
  ~KernelProgram();

  const dp_config& config() const;
  dp_control& control();         ///< written here, read by the program at its next packet
  dp_counters counters() const;  ///< of all CPUs together
  int descriptor() const;        ///< of the program, to attach it
  std::size_t memory_bytes() const;
  DataplaneHistograms histograms() const;  ///< with `histograms`

  /// Hands over what the ring holds and returns how much that was.
  using Take = void(void* context, const dp_sample& sample);
  std::size_t read(Take* take, void* context);
  template <class Use>
  std::size_t read(Use& use) {
    return read(
        [](void* context, const dp_sample& sample) { (*static_cast<Use*>(context))(sample); },
        &use);
  }

  /// What the kernel itself measured: time in the program, and how often it ran meanwhile.
  struct Cost {
    std::uint64_t runs = 0, time_ns = 0;
  };
  Cost cost() const;

  /// One packet through the program as if it had passed at its own time (BPF_PROG_TEST_RUN); for
  /// a program loaded with `replay`.
  Result<void> replay(const Packet& packet);

  /// With `steps`: where the next packet stands.
  void set_step(std::uint64_t step);
  /// Mean time of `repeat` runs over one packet, in nanoseconds; of the empty program if asked.
  Result<double> time_runs(std::span<const std::byte> bytes, unsigned repeat, bool empty);

 private:
  struct State;
  explicit KernelProgram(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace sojourn
