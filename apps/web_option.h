#pragma once
// The options of whoever serves the page: `sojourn collect --web` and `sojourn watch`.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <fstream>
#include <string>
#include <string_view>

#include "alarm/alarm_watch.h"
#include "apps/option_helpers.h"
#include "console/output.h"
#include "core/address.h"
#include "core/result.h"
#include "export/files/run_files.h"
#include "web/alarm_view.h"
#include "web/web_server.h"

namespace sojourn {

/// What raises an alarm, and where it is sent.
struct AlarmWishes {
  AlarmOptions options;
  std::string webhook, secret_file, authority;
};

struct WebWishes {
  web::WebOptions options;
  bool wanted = false;
  std::string token_file;
  AlarmWishes alarms;
};

/// "8080", "127.0.0.1:8080", "[::1]:8080", ":8080"
inline Result<HostPort> parse_web_address(std::string_view text) {
  const bool port_alone = text.find(':') == std::string_view::npos;
  auto parsed = HostPort::parse(port_alone ? fmt::format("127.0.0.1:{}", text) : std::string{text},
                                HostPort::Use::listen, {});
  const std::string_view host = parsed ? std::string_view{parsed->host} : "";
  if (!parsed || (!host.empty() && host != "localhost" && !IpAddress::parse(host)))
    return failure(fmt::format("'{}' is not ADDRESS:PORT, as in 127.0.0.1:8080", text));
  return parsed;
}

inline void add_web_options(CLI::App& command, WebWishes& wishes, const std::string& description) {
  add_parsed(
      command, "--web", "[ADDRESS:]PORT", parse_web_address,
      [&wishes](const HostPort& address) {
        wishes.wanted = true;
        wishes.options.host = address.host;
        wishes.options.port = address.port;
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

/// Certificates, keys and secrets, which no output may replace.
inline void note_files_of(const WebWishes& wishes, RunFiles& files) {
  for (const std::string* path :
       {&wishes.options.certificate, &wishes.options.key, &wishes.options.authority,
        &wishes.token_file, &wishes.alarms.secret_file, &wishes.alarms.authority})
    files.reads(*path);
}

/// False alarms a week.
inline Result<double> parse_alarm_rate(std::string_view text) {
  return parse_between(text, 1e-6, 1000);
}

inline void add_alarm_options(CLI::App& command, AlarmWishes& wishes) {
  AlarmOptions& options = wishes.options;
  add_parsed_list(
      command, "--alarm", "RULE", AlarmRule::parse,
      [&options](const AlarmRule& rule) { options.rules.push_back(rule); },
      "'each tcp p95 < 50ms', 'oneway p99 < 20ms', 'each tcp usual';\nrepeatable");
  add_parsed(
      command, "--alarm-rate", "NUMBER", parse_alarm_rate,
      [&options](double rate) { options.false_alarms_per_week = rate; },
      "false alarms a week, over all rules (default 0.1)");
  add_parsed_list(
      command, "--alarm-except", "PREFIX", Prefix::parse,
      [&options](const Prefix& prefix) { options.except.push_back(prefix); },
      "leave this prefix out of rules about each; repeatable");
  add_parsed(
      command, "--alarm-every", "TIME", parse_positive_duration,
      [&options](Duration every) { options.every = every; },
      "how often the last 5 minutes are judged (default 1min)");
  command
      .add_option("--webhook", wishes.webhook, "send alarms to this http(s):// address, in JSON")
      ->type_name("URL")
      ->check(complaint_of(WebhookTarget::parse));
  command
      .add_option("--webhook-secret-file", wishes.secret_file,
                  "a file with the secret that signs these messages")
      ->type_name("FILE");
  command
      .add_option("--webhook-authority", wishes.authority,
                  "who signed an https webhook's certificate, PEM\n(default: this system's list)")
      ->type_name("FILE");
}

/// What rules are missing for, in one line; empty if nothing is.
inline std::string alarms_without_rules(const CLI::App& command) {
  if (command.count("--alarm") > 0) return {};
  for (const char* option : {"--alarm-rate", "--alarm-except", "--alarm-every", "--webhook",
                             "--webhook-secret-file", "--webhook-authority"})
    if (command.count(option) > 0)
      return fmt::format("{} needs --alarm RULE, such as --alarm 'each tcp usual'", option);
  return {};
}

/// Starts to look, if there are rules.
inline Result<std::unique_ptr<AlarmWatch>> start_alarms(const AlarmWishes& wishes,
                                                        const std::string& store) {
  if (wishes.options.rules.empty()) return std::unique_ptr<AlarmWatch>{};
  AlarmWatchOptions options{store, wishes.options, {}, warn, web::webhook_document};
  if (!wishes.webhook.empty()) {
    options.webhook.emplace();
    options.webhook->target = *WebhookTarget::parse(wishes.webhook);
    if (options.webhook->target.tls) {
      auto trust = TlsTrust::open(wishes.authority);
      if (!trust) return std::unexpected(trust.error().while_doing("--webhook"));
      options.webhook->trust = std::move(*trust);
    } else if (!wishes.authority.empty()) {
      return failure("--webhook-authority needs a --webhook with https://");
    }
    if (!wishes.secret_file.empty()) {
      std::ifstream file{wishes.secret_file};
      if (!(file >> options.webhook->secret))
        return failure("--webhook-secret-file: there is no secret in " + wishes.secret_file);
      if (auto able = webhook_signature("a", "b"); !able) return std::unexpected(able.error());
    }
  }
  return std::make_unique<AlarmWatch>(std::move(options));
}

/// What a server shows of the alarms; `alarms` is filled before it starts and outlives it.
inline void show_alarms(web::WebOptions& options, const std::unique_ptr<AlarmWatch>& alarms) {
  const auto list = [&alarms] { return alarms ? alarms->alarms() : std::vector<Alarm>{}; };
  options.alarms = [list] { return web::alarms_json(list()); };
  options.more_metrics = [list, &alarms] {
    return web::alarm_metrics(list(), alarms ? alarms->webhook_counts() : std::nullopt);
  };
}

}  // namespace sojourn
