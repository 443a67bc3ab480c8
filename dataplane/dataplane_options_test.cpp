#include "dataplane/dataplane_options.h"

#include <gtest/gtest.h>

namespace sojourn {
namespace {

// The number of buckets is a power of two: the largest that fits.
TEST(DataplaneOptions, ConnectionsTakeTheMemoryThatTheyAreGiven) {
  const auto buckets = [](std::size_t bytes) {
    DataplaneOptions options;
    options.connection_bytes = bytes;
    return make_config(options).buckets;
  };
  EXPECT_EQ(buckets(0), 1u) << "without any there is no connection to look up";
  EXPECT_EQ(buckets(sizeof(dp_bucket)), 1u);
  EXPECT_EQ(buckets(2 * sizeof(dp_bucket) - 1), 1u);
  EXPECT_EQ(buckets(2 * sizeof(dp_bucket)), 2u);
  EXPECT_EQ(buckets(1000 * sizeof(dp_bucket)), 512u);
}

}  // namespace
}  // namespace sojourn
