#pragma once
// What a run of `sojourn rtt` shall measure.

#include <cstdint>
#include <vector>

#include "core/address.h"
#include "core/kind.h"
#include "core/time.h"
#include "estimate/measurement.h"
#include "roundtrip/table_choice.h"

namespace sojourn {

struct RttOptions {
  KindSet kinds = KindSet::all();
  TableChoice table = {};  ///< with several threads each has its share of the memory
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
