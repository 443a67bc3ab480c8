#pragma once
// Delivers alarms to a program of the user: JSON by POST, signed, retried until accepted.

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "alarm/tls_channel.h"
#include "core/result.h"
#include "core/time.h"

namespace sojourn {

struct WebhookTarget {
  std::string host;
  std::uint16_t port = 80;  ///< with https 443
  std::string path = "/";
  bool tls = false;

  /// "http://host:port/path" or https.
  static Result<WebhookTarget> parse(std::string_view url);
};

/// HMAC-SHA256 (RFC 2104) in hexadecimal digits; an error in a program built without GnuTLS.
Result<std::string> webhook_signature(std::string_view secret, std::string_view body);

struct WebhookOptions {
  WebhookTarget target;
  std::string secret;               ///< empty: not signed
  std::shared_ptr<TlsTrust> trust;  ///< needed by a target with TLS
  Duration first_wait = std::chrono::seconds{1};
  Duration longest_wait = std::chrono::minutes{1};
  Duration give_up_after = std::chrono::hours{1};
  std::size_t most_waiting = 1000;
};

/// What became of the messages that are not waiting any more.
struct WebhookCounts {
  std::uint64_t delivered = 0;
  std::uint64_t thrown_away = 0;  ///< too many were waiting, or nobody accepted it in time
};

/// Has its own thread.  A message is sent again until it gets a status of 2xx, after waits that
/// double.  Messages keep their order.  Discarded messages are counted and logged.
class Webhook {
 public:
  Webhook(WebhookOptions options, std::function<void(const std::string&)> log);
  /// Waits for the message being sent, not for those still queued.
  ~Webhook();

  void send(std::string body);
  WebhookCounts counts() const;

 private:
  void run();
  Result<void> post(const std::string& body, std::uint64_t number) const;

  WebhookOptions options_;
  std::function<void(const std::string&)> log_;
  mutable std::mutex mutex_;
  std::condition_variable something_;
  std::deque<std::string> waiting_;
  WebhookCounts counts_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace sojourn
