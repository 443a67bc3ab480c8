#pragma once

#include <gtest/gtest.h>

#include <chrono>

#include "export/rtt/rtt_report.h"

namespace sojourn {

/// Ten seconds of DNS at 20 ms; in the sixth second 200 ms, and half of the queries unanswered.
class HeatmapTest : public testing::Test {
 protected:
  HeatmapTest() : measurement(options()) {
    using namespace std::chrono_literals;
    for (int i = 0; i < 1000; ++i) {
      const Timestamp asked = start + i * 10ms;
      const bool bad = i >= 500 && i < 600;
      measurement.heatmap()->add_requests(asked, Kind::dns, 1);
      ++measurement.counters(Kind::dns).requests;
      const Duration delay = bad ? 200ms : 20ms;
      if (!bad || i % 2 == 0)
        measurement.add_light(Kind::dns, Leg::server, asked + delay, delay, 1);
    }
    for (int i = 0; i < 10; ++i) {
      measurement.add_light(Kind::tcp, Leg::server, start + 1s, 20ms, 1);
      measurement.add_light(Kind::tcp, Leg::client, start + 1s, 20us, 1);
    }
    report.measurement = &measurement;
    report.draw_heatmap = true;
  }
  static MeasurementOptions options() {
    MeasurementOptions options;
    options.heatmap = true;
    return options;
  }

  static constexpr Timestamp start = timestamp_from_ns(1'794'052'800'000'000'000);
  Measurement measurement;
  RttReport report;
};

}  // namespace sojourn
