#pragma once
// The API behind the page: questions in the address, answers in JSON (docs/design/web.md).

#include <functional>
#include <string>
#include <string_view>

#include "export/json_values.h"
#include "store/store.h"
#include "web/api/query_string.h"
#include "web/api/reply.h"
#include "web/api/selection.h"

namespace sojourn::web {

inline constexpr std::string_view api_root = "/api/v1/";

/// What the answers need besides the store.
struct ApiContext {
  Timestamp now{};
  std::string version;
  /// What the process knows about itself, for `health`.
  std::function<Json()> process = [] { return Json::object(); };
  /// Current and past alarms, for `alarms`.
  std::function<Json()> alarms = [] { return Json::array(); };
};

/// `name` is what follows api_root.  404 for unknown names, 400 for invalid questions, 503 when the
/// store cannot be read.
Reply answer_api(Store& store, std::string_view name, const QueryString& query,
                 const ApiContext& context);

/// The newest columns of a heatmap, for a page that shows it live: one document a line.
Result<std::string> live_columns(Store& store, const QueryString& query, Timestamp now);

// Each of the answers: a failure is the client's error.
Result<Json> status_json(Store& store, const QueryString& query, const ApiContext& context);
Result<Json> heatmap_json(Store& store, const QueryString& query, const ApiContext& context);
Result<Json> groups_json(Store& store, const QueryString& query, const ApiContext& context);
Result<Json> compare_json(Store& store, const QueryString& query, const ApiContext& context);
Result<Json> path_json(Store& store, const QueryString& query, const ApiContext& context);
Result<Json> health_json(Store& store, const QueryString& query, const ApiContext& context);
Result<Json> alarms_json(Store& store, const QueryString& query, const ApiContext& context);

}  // namespace sojourn::web
