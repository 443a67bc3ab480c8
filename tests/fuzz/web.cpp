// Bytes as the query part of an address, or as a header.
//
// For any input the API answers with 200, 400 or 404 and a complete document, a parsed question is
// parsed again from its own text, and only whole names of this machine are accepted as Host.

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "store/test_store.h"
#include "web/access.h"
#include "web/api/api.h"

using namespace sojourn;
using namespace sojourn::web;

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

TestStore& small_store() {
  static TestStore store;
  static const bool filled = [] {
    for (int i = 0; i < 200; ++i) {
      const Timestamp at = TestStore::start - std::chrono::seconds{10} * i;
      store.add("a:b", number_of(Measure::oneway), at, 2000 + i % 7, 1, i);
      store.add("a:b", number_of(Measure::loss), at, i % 3, 1, i);
      store.add("p", number_of(Kind::tcp), at, 2500, 1.5, i, "192.0.2.0", 1);
    }
    return true;
  }();
  require(filled);
  return store;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1 || size > 4096) return 0;
  const std::string_view text{reinterpret_cast<const char*>(data + 1), size - 1};
  if (is_own_host(text)) require(text.find_first_of("/@ ") == std::string_view::npos);
  require(!has_token(text, "a token that nobody has"));
  const auto query = QueryString::parse(text);
  if (!query) return 0;
  ApiContext context;
  context.now = TestStore::start;
  constexpr std::array names = {"status", "heatmap", "groups", "compare",
                                "path",   "health",  "alarms", "?"};
  const Reply reply = answer_api(small_store(), names[data[0] % names.size()], *query, context);
  require(reply.status == 200 || reply.status == 400 || reply.status == 404);
  require(Json::accept(reply.body));
  if (data[0] % 16 == 15)
    if (const auto columns = live_columns(small_store(), *query, context.now)) {
      require(columns->find('\n') == std::string::npos);
      require(Json::accept(*columns));
    }
  return 0;
}
