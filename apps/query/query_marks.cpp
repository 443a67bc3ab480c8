#include "apps/query/query_marks.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "apps/oneway_marking_records.h"
#include "console/terminal.h"
#include "console/this_process.h"
#include "pipeline/marking/mark_counts.h"
#include "pipeline/oneway/oneway_methods.h"
#include "store/store.h"

namespace sojourn {

Result<std::vector<std::string>> parse_mark_points(std::string_view text) {
  std::vector<std::string> points;
  while (true) {
    const auto colon = text.find(':');
    points.emplace_back(text.substr(0, colon));
    if (points.back().empty() || std::ranges::count(points, points.back()) > 1)
      return failure("marks are joined between two or more different points: north:south");
    if (colon == std::string_view::npos) break;
    text.remove_prefix(colon + 1);
  }
  if (points.size() < 2)
    return failure("marks are joined between two or more different points: north:south");
  return points;
}

Result<int> query_marks(const QueryMarksRequest& request) {
  OnewayRequest oneway;
  oneway.method = oneway_method_named("marking");
  oneway.first = request.points.front();
  oneway.last = request.points.back();
  oneway.json = request.json;
  oneway.unicode = unicode_wanted();
  RunFiles inputs;
  inputs.reads(request.store);
  auto outputs = OnewayOutputs::open(oneway, std::move(inputs));
  if (!outputs) return std::unexpected(outputs.error());
  auto store = open_store_for_reading(request.store);
  if (!store) return std::unexpected(store.error());
  // Points count by TAI, which is some seconds ahead; what is not over is of no use anyway.
  const auto now = wall_clock();
  const Timestamp from = now - request.since, to = now + std::chrono::hours{1};
  std::vector<MarkingPointFile> files;
  for (const std::string& point : request.points) {
    const auto marks = (*store)->marks(point, from, to);
    if (!marks) return std::unexpected(marks.error().while_doing("cannot ask " + request.store));
    auto file = marking_file_of(point, *marks);
    if (!file) return std::unexpected(file.error());
    files.push_back(std::move(*file));
  }
  return measure_marking_records(oneway, files, std::move(*outputs));
}

}  // namespace sojourn
