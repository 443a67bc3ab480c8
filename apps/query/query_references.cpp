#include "apps/query/query_references.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>

#include "console/output.h"
#include "console/this_process.h"
#include "export/reference/reference_report.h"
#include "store/references/reference_sums.h"
#include "store/store.h"

namespace sojourn {
namespace {

/// Flows in the table; the JSON has all.
constexpr std::size_t most_rows = 20;

}  // namespace

Result<void> query_references(const QueryReferencesRequest& request) {
  auto store = open_store_for_reading(request.store);
  if (!store) return std::unexpected(store.error());
  const auto now = wall_clock();
  std::map<std::string, ReferenceSums> points;
  bool found = false;
  if (request.csv) say_text(std::string{reference_csv_header()});
  const auto done =
      (*store)->references({request.point, now - request.since, now + std::chrono::hours{1}},
                           [&](const PointReferences& of, const ReferenceInterval& interval) {
                             found = true;
                             if (request.csv)
                               say_text(reference_csv(interval));
                             else
                               points[of.point].add(interval);
                           });
  if (!done) return std::unexpected(done.error().while_doing("cannot ask " + request.store));
  if (!found)
    return failure(
        fmt::format("{} sent no delays by reference packets in this time; --since goes "
                    "further back",
                    request.point.empty() ? "points have" : request.point + " has"));
  for (const auto& [point, sums] : points)
    say_text(request.json ? reference_json(sums.total(), "point", point)
                          : reference_sums_text(point, sums, most_rows));
  return flush_output();
}

}  // namespace sojourn
