#pragma once
// What a run of `sojourn rtt` shall measure.

#include <cstdint>
#include <vector>

#include "core/address.h"
#include "core/kind.h"
#include "core/time.h"
#include "estimate/measurement.h"

namespace sojourn {

struct RttOptions {
  KindSet kinds = KindSet::all();
  Duration expire = std::chrono::seconds{10};
  Duration expire_connections = std::chrono::hours{1};  ///< for kind flow: a connection's life
  bool keep_ambiguous = false;
  std::uint32_t full_size = 0;  ///< see PairingOptions
  std::vector<Prefix> inside;   ///< empty: legs are named server and client
  std::uint64_t seed = 0;
  unsigned threads = 1;
  bool anonymize = false;     ///< replace addresses, keeping prefixes apart and together as they were
  bool want_samples = false;  ///< hand each sample to the consumer, not only to the measurement
  MeasurementOptions measurement;
};

}  // namespace sojourn
