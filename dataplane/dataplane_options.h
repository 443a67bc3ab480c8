#pragma once
// What the program in the kernel shall measure and how much memory it may use.

#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/kind.h"
#include "core/time.h"
#include "dataplane/kernel/abi.h"

namespace sojourn {

/// Kinds that the program can measure.  `quic` would need its connections' spin-bit history and
/// `flow` requests that wait for an hour; both stay with the socket engine.
KindSet kernel_kinds();

struct DataplaneOptions {
  KindSet kinds = kernel_kinds();
  std::size_t table_bytes = std::size_t{8} << 20;
  std::size_t connection_bytes = std::size_t{4} << 20;
  std::size_t ring_bytes = std::size_t{4} << 20;  ///< samples that nobody has read yet
  unsigned fridges = DP_MOST_FRIDGES;             ///< 1 or 3; with histograms 1
  bool histograms = false;      ///< delays are added up in the kernel, not handed over one by one
  bool keep_ambiguous = false;  ///< histograms count what Karn's rule leaves out
  Duration expire = std::chrono::seconds{10};
  std::uint32_t full_size = 0;  ///< kind tcp: least IP length of a request
  std::uint64_t seed = 0;
  bool apart = false;   ///< each interface is a point of its own
  bool replay = false;  ///< packets bring their own time
  unsigned steps = 0;   ///< benchmark: step through 2^steps flows (dataplane/kernel/program.h)
};

/// The constants that follow.  Every shard has at least 64 slots of each fridge, or there are fewer
/// shards: in a small one the chance of a collision is not what the weights say.
dp_config make_config(const DataplaneOptions& options);

/// How much shorter the requests of a fridge live than those of the last one: 64, 8, 1.
double pace_of(const dp_config& config, unsigned fridge);
/// The share of all keys whose home it is.
double share_of(const dp_config& config, unsigned fridge);

std::size_t slot_count(const dp_config& config);
/// The value of the map that holds one shard of one fridge.
std::size_t part_bytes(const dp_config& config);
/// What the kernel takes for all of them: it gives memory in powers of two up to 32 KiB.
std::size_t table_bytes(const dp_config& config);

/// All that the program takes from the kernel: tables, connections, counters and the ring.
std::size_t program_bytes(const dp_config& config, std::size_t ring_bytes, std::size_t cpus);

/// The number of histograms, one for each kind and leg; 0 if samples are delivered one by one.
std::size_t histogram_count(const dp_config& config);
/// The number of a leg's histogram; nullopt if the kind is not measured or has no such leg.
std::optional<std::size_t> histogram_number(const dp_config& config, Kind kind, Leg leg);
std::size_t histogram_bytes(const dp_config& config);

/// By which the program guesses who is the server: those of roundtrip/rules/server_guess.h.
dp_services known_services();

/// Updates the program's coarse clocks; to be called now and then.
void set_clocks(dp_control& control, Timestamp now);

}  // namespace sojourn
