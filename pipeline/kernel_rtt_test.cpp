#include "pipeline/kernel_rtt.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace sojourn {
namespace {

std::size_t taken_with(std::size_t memory_bytes, bool histograms) {
  KernelRttOptions options;
  options.memory_bytes = memory_bytes;
  options.histograms = histograms;
  const DataplaneOptions dataplane = dataplane_options(options);
  return program_bytes(make_config(dataplane), dataplane.ring_bytes,
                       static_cast<std::size_t>(::sysconf(_SC_NPROCESSORS_CONF)));
}

TEST(KernelRtt, TakesNoMoreMemoryThanItIsGiven) {
  for (std::size_t kibibytes = 64; kibibytes <= 8192; kibibytes += 4) {
    EXPECT_LE(taken_with(kibibytes << 10, false), kibibytes << 10) << kibibytes << " KiB";
    if (kibibytes >= 4096) {
      EXPECT_LE(taken_with(kibibytes << 10, true), kibibytes << 10) << kibibytes << " KiB";
    }
  }
}

/// A bound that is kept by taking nothing would be of no use.
TEST(KernelRtt, UsesMostOfTheMemoryThatItIsGiven) {
  for (std::size_t kibibytes = 64; kibibytes <= 8192; kibibytes += 4)
    EXPECT_GE(taken_with(kibibytes << 10, false), kibibytes << 9) << kibibytes << " KiB";
}

}  // namespace
}  // namespace sojourn
