#pragma once
// A program of this binary on its way into the kernel.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "core/packet.h"
#include "core/result.h"
#include "dataplane/mapped_map.h"

struct bpf_object;

namespace sojourn {

/// Opened, told its sizes and constants, then loaded.  When it goes, so does the program, unless
/// something else holds it.
class BpfObject {
 public:
  /// `elf`: the compiled program, from its skeleton.
  static Result<BpfObject> open(const void* elf, std::size_t size);

  void set_entries(const char* map, std::size_t entries);
  void set_constants(const void* constants, std::size_t size);
  /// Verifies.  The error names the capability that is missing, if that is the reason.
  Result<void> load();

  int map(const char* name) const;      ///< descriptor
  int program(const char* name) const;  ///< descriptor
  /// The first bytes of a map, as memory; its get() is null if the kernel refuses.
  MappedMap memory(const char* map, std::size_t bytes) const;

 private:
  struct Close {
    void operator()(bpf_object* object) const;
  };
  std::unique_ptr<bpf_object, Close> object_;
};

/// One packet through a program of tc as if it had passed at its own time (BPF_PROG_TEST_RUN).
Result<void> replay_at_tc(int program, const Packet& packet);
/// Mean time of `repeat` runs over one packet, in nanoseconds.
Result<double> time_at_tc(int program, std::span<const std::byte> bytes, unsigned repeat);

}  // namespace sojourn
