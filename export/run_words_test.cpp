#include "export/run_words.h"

#include <gtest/gtest.h>

namespace sojourn {
namespace {

TEST(RunWords, SayWhereARunCanBeReached) {
  EXPECT_EQ(listening_line("0.0.0.0:4739"), "listening on 0.0.0.0:4739");
  EXPECT_EQ(page_line("http://127.0.0.1:8080/", true), "open http://127.0.0.1:8080/");
  EXPECT_EQ(page_line("http://127.0.0.1:8080/", false),
            "API and metrics at http://127.0.0.1:8080/ (built without the page)");
}

TEST(RunWords, SayWhatIsMeasuredAndWhereItIsKept) {
  EXPECT_EQ(watching_line("eth0", "day.db"), "measuring eth0, keeping it in day.db");
}

}  // namespace
}  // namespace sojourn
