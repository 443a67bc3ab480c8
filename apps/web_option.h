#pragma once
// The options of whoever serves the page: `sojourn collect --web` and `sojourn watch`.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <fstream>
#include <string>
#include <string_view>

#include "apps/option_helpers.h"
#include "core/address.h"
#include "core/result.h"
#include "web/page_files.h"
#include "web/web_server.h"

namespace sojourn {

struct WebWishes {
  web::WebOptions options;
  bool wanted = false;
  std::string token_file;
};

/// "8080", "127.0.0.1:8080", "[::1]:8080", ":8080"
inline Result<std::pair<std::string, std::uint16_t>> parse_web_address(std::string_view text) {
  std::string host = "127.0.0.1";
  std::string_view port = text;
  if (const auto colon = text.rfind(':'); colon != std::string_view::npos) {
    host = text.substr(0, colon);
    if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
    port = text.substr(colon + 1);
  }
  const auto number = parse_count(port, 0, 65'535);
  if (!number || (!host.empty() && host != "localhost" && !IpAddress::parse(host)))
    return failure(fmt::format("'{}' is not ADDRESS:PORT, as in 127.0.0.1:8080", text));
  return std::pair{host, static_cast<std::uint16_t>(*number)};
}

inline void add_web_options(CLI::App& command, WebWishes& wishes, const std::string& description) {
  add_parsed(
      command, "--web", "[ADDRESS:]PORT", parse_web_address,
      [&wishes](const std::pair<std::string, std::uint16_t>& address) {
        wishes.wanted = true;
        wishes.options.host = address.first;
        wishes.options.port = address.second;
      },
      description);
  command
      .add_option("--web-certificate", wishes.options.certificate, "the page by TLS: its own, PEM")
      ->type_name("FILE");
  command.add_option("--web-key", wishes.options.key, "... and its private key")->type_name("FILE");
  command
      .add_option("--web-authority", wishes.options.authority,
                  "who signed the certificates that browsers must show")
      ->type_name("FILE");
  command
      .add_option("--web-token-file", wishes.token_file,
                  "a file with the token that API and metrics ask for")
      ->type_name("FILE");
  command.add_flag("--insecure", wishes.options.insecure,
                   "serve the page to other machines without TLS and token");
}

/// Reads the token; what is missing or contradicts, in one line that names the option.
inline Result<void> complete_web_options(WebWishes& wishes) {
  if (!wishes.token_file.empty()) {
    std::ifstream file{wishes.token_file};
    if (!(file >> wishes.options.token))
      return failure("--web-token-file: there is no token in " + wishes.token_file);
  }
  if (const std::string fault = access_fault(wishes.options); !fault.empty())
    return failure(
        fmt::format("--web: {} (--web-certificate, --web-key, --web-token-file, --web-authority; "
                    "or --insecure)",
                    fault));
  return {};
}

/// The line that tells people where to look.
inline std::string web_line(const web::WebServer& server) {
  return web::has_page()
             ? "open " + server.address()
             : fmt::format("API and metrics at {} (built without the page)", server.address());
}

}  // namespace sojourn
