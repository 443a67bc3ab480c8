#include "tests/testbed/command_line.h"

#include <gtest/gtest.h>

#include <vector>

namespace sojourn::testbed {
namespace {

using namespace std::chrono_literals;

Result<EmulatorOptions> parse(std::vector<std::string_view> arguments) {
  return parse_command_line(arguments);
}

TEST(CommandLine, OptionsApplyToBothDirectionsUntilOneIsNamed) {
  const auto options =
      parse({"left", "right", "--delay", "10ms", "--forward", "--loss", "1%", "--backward",
             "--rate", "10Mbit", "--reorder", "2%,5ms", "--seed", "7", "--duration", "3s"});
  ASSERT_TRUE(options) << options.error().message;
  EXPECT_EQ(options->interfaces[1], "right");
  EXPECT_EQ(options->links[0].delay, 10ms);
  EXPECT_EQ(options->links[1].delay, 10ms);
  EXPECT_DOUBLE_EQ(options->links[0].loss, 0.01);
  EXPECT_EQ(options->links[1].loss, 0);
  EXPECT_EQ(options->links[0].bits_per_second, 0);
  EXPECT_EQ(options->links[1].bits_per_second, 10e6);
  EXPECT_DOUBLE_EQ(options->links[1].reorder, 0.02);
  EXPECT_EQ(options->links[1].reorder_extra, 5ms);
  EXPECT_EQ(options->seed, 7u);
  EXPECT_EQ(options->duration, Duration{3s});
}

TEST(CommandLine, JitterIsUniformUnlessItHasAShape) {
  EXPECT_EQ(parse({"a", "b", "--jitter", "1ms"})->links[0].shape, JitterShape::uniform);
  EXPECT_EQ(parse({"a", "b", "--jitter", "1ms", "--shape", "pareto"})->links[0].shape,
            JitterShape::pareto);
}

TEST(CommandLine, WrongUseIsRefusedInOneLine) {
  const std::vector<std::vector<std::string_view>> wrong = {
      {},
      {"a"},
      {"a", "a"},
      {"a", "b", "c"},
      {"a", "b", "--dealy", "1ms"},
      {"a", "b", "--delay"},
      {"a", "b", "--delay", "20"},
      {"a", "b", "--delay", "-1ms"},
      {"a", "b", "--loss", "101%"},
      {"a", "b", "--loss", "nan"},
      {"a", "b", "--rate", "10"},
      {"a", "b", "--rate", "0Mbit"},
      {"a", "b", "--shape", "gauss", "--jitter", "1ms"},
      {"a", "b", "--shape", "normal"},
      {"a", "b", "--jitter-reorders"},
      {"a", "b", "--reorder", "2%"},
      {"a", "b", "--burst-loss", "1%,0"},
      {"a", "b", "--seed", "x"},
  };
  for (const auto& arguments : wrong) {
    const auto options = parse(arguments);
    ASSERT_FALSE(options) << (arguments.empty() ? "no arguments" : arguments.back());
    EXPECT_FALSE(options.error().message.empty());
    EXPECT_EQ(options.error().message.find('\n'), std::string::npos);
  }
}

}  // namespace
}  // namespace sojourn::testbed
