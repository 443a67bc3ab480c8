#include "web/listener_view.h"

#include <gtest/gtest.h>

namespace sojourn::web {
namespace {

ListenerFigures heard_figures() {
  ListenerFigures figures{.counters = {}, .open_connections = 3};
  figures.counters.connections = 9;
  figures.counters.messages = 8;
  figures.counters.refused_certificates = 5;
  figures.counters.troubles[ipfix::Trouble::bad_record] = 4;
  return figures;
}

TEST(ListenerMetrics, HaveEveryReason) {
  const std::string text = classic_text(listener_metrics(heard_figures()));
  for (const char* line :
       {"sojourn_listener_open_connections 3\n", "sojourn_listener_connections_total 9\n",
        "sojourn_listener_messages_total 8\n",
        "sojourn_listener_closed_total{reason=\"certificate\"} 5\n",
        "sojourn_listener_closed_total{reason=\"too-many\"} 0\n",
        "sojourn_listener_trouble_total{reason=\"bad-record\"} 4\n",
        "sojourn_listener_trouble_total{reason=\"short-message\"} 0\n"})
    EXPECT_TRUE(text.contains(line)) << line << text;
}

TEST(ShowListener, KeepsWhatOthersShow) {
  WebOptions options;
  options.process = [] { return Json{{"mine", 1}}; };
  options.more_metrics = [] {
    return std::vector<MetricFamily>{{"mine", "m", MetricType::gauge, {{{}, 1.0}}}};
  };
  show_listener(options, heard_figures);
  const Json process = options.process();
  EXPECT_EQ(process.value("mine", 0), 1);
  EXPECT_EQ(process["listener"]["closed"]["certificate"], 5);
  const std::string text = classic_text(options.more_metrics());
  EXPECT_TRUE(text.contains("mine 1\n") && text.contains("sojourn_listener_messages_total 8\n"));
}

}  // namespace
}  // namespace sojourn::web
