#include "alarm/webhook.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>

#include "core/parse.h"
#include "late/gnutls.h"
#include "store/clickhouse/http_client.h"

namespace sojourn {

Result<WebhookTarget> WebhookTarget::parse(std::string_view url) {
  const auto wrong = [whole = url](std::string_view why) {
    return failure(fmt::format("'{}' is not http[s]://HOST[:PORT][/PATH]{}", whole, why));
  };
  WebhookTarget target;
  target.tls = url.starts_with("https://");
  const std::string_view scheme = target.tls ? "https://" : "http://";
  if (!url.starts_with(scheme)) return wrong("");
  url.remove_prefix(scheme.size());
  const auto slash = std::min(url.find('/'), url.size());
  if (slash < url.size()) target.path = url.substr(slash);
  const auto server =
      HostPort::parse(url.substr(0, slash), HostPort::Use::connect, target.tls ? 443 : 80);
  if (!server) return wrong(": " + server.error().message);
  const auto control = [](char c) { return static_cast<unsigned char>(c) <= 0x20; };
  if (std::ranges::any_of(target.path, control)) return wrong("");
  target.host = server->host;
  target.port = server->port;
  return target;
}

Result<std::string> webhook_signature([[maybe_unused]] std::string_view secret,
                                      [[maybe_unused]] std::string_view body) {
#ifdef SOJOURN_WITH_GNUTLS
  if (auto loaded = load_late(gnutls_library); !loaded) return std::unexpected(loaded.error());
  std::array<unsigned char, 32> digest{};
  if (gnutls_hmac_fast(GNUTLS_MAC_SHA256, secret.data(), secret.size(), body.data(), body.size(),
                       digest.data()) != 0)
    return failure("the body cannot be signed");
  std::string text;
  for (const unsigned char byte : digest) text += fmt::format("{:02x}", byte);
  return text;
#else
  return failure("this program was built without GnuTLS and cannot sign");
#endif
}

Webhook::Webhook(WebhookOptions options, std::function<void(const std::string&)> log)
    : options_(std::move(options)), log_(std::move(log)), thread_([this] { run(); }) {}

Webhook::~Webhook() {
  {
    const std::lock_guard lock{mutex_};
    stopping_ = true;
    something_.notify_one();
  }
  thread_.join();
}

void Webhook::send(std::string body) {
  const std::lock_guard lock{mutex_};
  if (waiting_.size() >= options_.most_waiting) {
    waiting_.pop_front();
    ++counts_.thrown_away;
    log_("webhook: too many alarms are waiting; the oldest will not be delivered");
  }
  waiting_.push_back(std::move(body));
  something_.notify_one();
}

WebhookCounts Webhook::counts() const {
  const std::lock_guard lock{mutex_};
  return counts_;
}

void Webhook::run() {
  std::uint64_t number = 0;
  std::unique_lock lock{mutex_};
  while (true) {
    something_.wait(lock, [&] { return stopping_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    const std::string body = std::move(waiting_.front());
    waiting_.pop_front();
    ++number;
    const auto began = std::chrono::steady_clock::now();
    for (Duration wait = options_.first_wait;; wait = std::min(2 * wait, options_.longest_wait)) {
      lock.unlock();
      const auto sent = post(body, number);
      lock.lock();
      if (sent) {
        ++counts_.delivered;
        break;
      }
      if (wait == options_.first_wait) log_("webhook: " + sent.error().message + "; trying again");
      if (stopping_ || std::chrono::steady_clock::now() - began + wait > options_.give_up_after) {
        ++counts_.thrown_away;
        log_("webhook: an alarm was not delivered");
        break;
      }
      something_.wait_for(lock, wait, [&] { return stopping_; });
    }
  }
}

Result<void> Webhook::post(const std::string& body, std::uint64_t number) const {
  std::string headers =
      fmt::format("Content-Type: application/json\r\nSojourn-Delivery: {}\r\n", number);
  if (!options_.secret.empty()) {
    const auto signature = webhook_signature(options_.secret, body);
    if (!signature) return std::unexpected(signature.error());
    headers += "Sojourn-Signature: sha256=" + *signature + "\r\n";
  }
  clickhouse::OpenChannel open = clickhouse::open_plain;
  if (options_.target.tls)
    open = [this](int socket, const clickhouse::HttpPatience& patience) {
      return options_.trust->connect(socket, options_.target.host, patience);
    };
  const auto answer = clickhouse::http_post(
      {options_.target.host, options_.target.port}, options_.target.path, headers, body,
      {std::chrono::seconds{3}, std::chrono::seconds{10}}, open);
  if (!answer)
    return std::unexpected(answer.error().while_doing("cannot tell " + options_.target.host));
  if (answer->status < 200 || answer->status > 299)
    return failure(fmt::format("{} answered with status {}", options_.target.host, answer->status));
  return {};
}

}  // namespace sojourn
