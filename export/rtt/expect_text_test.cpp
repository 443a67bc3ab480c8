#include "export/rtt/expect_text.h"

#include <gtest/gtest.h>

namespace sojourn {
namespace {

using namespace std::chrono_literals;

/// 1000 delays around `middle`, in random order of time.
Expectation around(Duration middle, int samples = 1000) {
  Measurement measurement;
  for (int i = 0; i < samples; ++i)
    measurement.add_light(Kind::tcp, Leg::server, {}, middle + (i * 377 % 1000 - 500) * 4us);
  return take_expectation(measurement, KindSet::all());
}

std::string sentence(const Expectation& expected, const Expectation& now) {
  return expect_sentence(compare(expected, now, {}).results.at(0));
}

TEST(ExpectText, SaysInPlainWordsWhatHappened) {
  EXPECT_EQ(sentence(around(20ms), around(31ms)),
            "slower than expected: p50 31.00 ms was 20.00 ms, p95 32.80 ms was 21.80 ms (D = 1 at "
            "23.20 ms, p < 1e-9)");
  EXPECT_TRUE(sentence(around(31ms), around(20ms))
                  .starts_with("faster than expected: p50 20.00 ms was 31.00 ms"));
  EXPECT_EQ(sentence(around(20ms), around(20ms)),
            "as expected: p50 20.00 ms was 20.00 ms, p95 21.80 ms was 21.80 ms (D = 0, p = 1)");
}

TEST(ExpectText, SaysWhyNothingCanBeSaid) {
  EXPECT_EQ(sentence(around(20ms), {}), "no samples now");
  EXPECT_EQ(sentence({}, around(20ms)), "nothing stored to compare with");
  EXPECT_EQ(sentence(around(20ms, 12), around(20ms, 40)),
            "too few samples or flows to tell: worth 40 now and 12 then, of 30 needed");
  EXPECT_TRUE(
      expect_promise(compare(around(20ms), {}, {})).starts_with("Nothing could be compared"));
  EXPECT_EQ(expect_promise(compare(around(20ms), around(20ms), {})),
            "Changes of delays by less than 5 % are not looked at. If nothing changed, the chance "
            "of any alarm here "
            "is at most 0.001, unless delays swing for longer than a twentieth of the run.");
}

}  // namespace
}  // namespace sojourn
