#pragma once
// The reply to a client.

#include <string>
#include <utility>

namespace sojourn::web {

struct Reply {
  int status = 200;
  std::string content_type = "application/json";
  std::string body;

  /// {"error": "..."}: one sentence that says what to do instead.
  static Reply trouble(int status, const std::string& sentence);
};

}  // namespace sojourn::web
