#include "web/api/api.h"

#include <array>

namespace sojourn::web {
namespace {

using Answerer = Result<Json> (*)(Store&, const QueryString&, const ApiContext&);

struct Endpoint {
  std::string_view name;
  Answerer answer;
};

constexpr std::array<Endpoint, 7> endpoints = {{
    {"status", status_json},
    {"heatmap", heatmap_json},
    {"groups", groups_json},
    {"compare", compare_json},
    {"path", path_json},
    {"health", health_json},
    {"alarms", alarms_json},
}};

}  // namespace

Reply Reply::trouble(int status, const std::string& sentence) {
  return {status, "application/json", line_text({{"error", sentence}})};
}

Reply answer_api(Store& store, std::string_view name, const QueryString& query,
                 const ApiContext& context) {
  for (const Endpoint& endpoint : endpoints) {
    if (endpoint.name != name) continue;
    const auto age = store.age();
    if (!age) return Reply::trouble(503, "the store cannot be read: " + age.error().message);
    const auto document = endpoint.answer(store, query, context);
    if (!document) return Reply::trouble(400, document.error().message);
    return {200, "application/json", line_text(*document)};
  }
  return Reply::trouble(404, "there is no such answer; see docs/design/web.md");
}

}  // namespace sojourn::web
