#pragma once
// What a session hears of what a writer writes.

#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ipfix/message_writer.h"
#include "ipfix/session.h"

namespace sojourn::ipfix {

/// All reports of what a writer makes of `write`.
struct Heard {
  std::vector<MarkCount> marks;
  std::optional<MarkingRun> run;
  std::vector<ReferenceInterval> references;
  std::optional<ReferenceRun> reference_run;
  std::uint64_t records = 0, packets = 0, messages = 0;
  TroubleCounters troubles;
};

inline Heard hear(std::size_t most_bytes, const std::function<void(MessageWriter&)>& write) {
  Heard heard;
  Session session;
  PointReport report;
  const WriterOptions options{.most_bytes = most_bytes};
  for (const auto& message : template_messages(options, {})) session.decode(message, report);
  MessageWriter writer{options, [&](const Message& message) {
                         const Decoded decoded = session.decode(message.bytes, report);
                         EXPECT_TRUE(decoded.framed && decoded.counted && decoded.from_a_point);
                         EXPECT_EQ(decoded.data_records, message.data_records);
                         EXPECT_LE(message.bytes.size(), most_bytes);
                         heard.records += message.flow_records;
                         heard.packets += message.packets;
                         ++heard.messages;
                         if (report.marking) heard.run = report.marking;
                         heard.marks.insert(heard.marks.end(), report.marks.begin(),
                                            report.marks.end());
                         if (report.referencing) heard.reference_run = report.referencing;
                         for (const ReferenceInterval& part : report.references)
                           append_part(heard.references, part);
                       }};
  writer.begin({std::string(254, 'n'), 1}, 1, timestamp_from_ns(1'700'000'000'000'000'000));
  write(writer);
  writer.end();
  heard.troubles = session.troubles();
  return heard;
}

}  // namespace sojourn::ipfix
