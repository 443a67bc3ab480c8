#include "late/late_library.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "late/pcap.h"

namespace sojourn {
namespace {

/// Of the C library, which is loaded already.
constexpr LateFunction<"libm.so.6", "ldexp", double(double, int)> late_ldexp{};
constexpr LateFunction<"libc.so.6", "snprintf", int(char*, std::size_t, const char*, ...)>
    late_snprintf{};
constexpr LateFunction<"libm.so.6", "no_such_function", double(double)> nothing{};
constexpr LateFunction<"libnothing.so.7", "cos", double(double)> nowhere{};

TEST(LateLibrary, CallsWhatItFinds) {
  EXPECT_EQ(late_ldexp(3.0, 4), 48.0);
  EXPECT_EQ(late_ldexp.address(), late_ldexp.address());
}

TEST(LateLibrary, PassesAnyNumberOfArguments) {
  char text[16];
  EXPECT_EQ(late_snprintf(text, sizeof text, "%s %d", "a", 7), 3);
  EXPECT_EQ(std::string{text}, "a 7");
}

TEST(LateLibrary, IsMissedWithItsName) {
  EXPECT_TRUE(load_late("libm.so.6"));
  const auto missing = load_late("libnothing.so.7");
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().message.find("libnothing.so.7"), std::string::npos);
}

TEST(LateLibrary, MissesAFunctionWithItsName) {
  EXPECT_TRUE(load_late("libm.so.6", {"cos", "sin"}));
  const auto missing = load_late("libm.so.6", {"cos", "no_such_function"});
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().message.find("no_such_function"), std::string::npos);
  EXPECT_TRUE(load_pcap());
}

TEST(LateLibrary, EndsTheProgramWhenItIsCalledAllTheSame) {
  EXPECT_EXIT(nowhere(1.0), testing::ExitedWithCode(1), "cannot load libnothing.so.7");
  EXPECT_EXIT(nothing(1.0), testing::ExitedWithCode(1), "cannot load no_such_function");
}

/// The name that the build found is the one of the library.
TEST(LateLibrary, IsFoundByTheNameOfTheBuild) {
  ASSERT_TRUE(load_late(pcap_library));
  pcap_t* const handle = pcap_open_dead(DLT_EN10MB, 65535);
  ASSERT_NE(handle, nullptr);
  pcap_close(handle);
}

}  // namespace
}  // namespace sojourn
