#ifdef SOJOURN_WITH_MICROHTTPD
#include "web/web_server.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <fstream>
#include <iterator>
#include <thread>

#include "late/gnutls.h"
#include "late/microhttpd.h"
#include "web/access.h"
#include "web/answer_worker.h"
#include "web/connections.h"
#include "web/http_counters.h"
#include "web/listen_socket.h"
#include "web/page_files.h"

namespace sojourn::web {
namespace {

using namespace std::chrono_literals;

constexpr const char* security_policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

Result<std::string> read_text(const std::string& path) {
  if (path.empty()) return std::string{};
  std::ifstream file{path, std::ios::binary};
  std::string text{std::istreambuf_iterator<char>{file}, {}};
  if (!file && text.empty()) return failure("cannot read " + path);
  return text;
}

IpAddress address_of(MHD_Connection* connection) {
  const auto* info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
  if (info == nullptr || info->client_addr == nullptr) return {};
  const auto* in = reinterpret_cast<const sockaddr_in*>(info->client_addr);
  if (in->sin_family == AF_INET)
    return IpAddress::v4(
        std::span<const std::byte, 4>{reinterpret_cast<const std::byte*>(&in->sin_addr), 4});
  const auto* in6 = reinterpret_cast<const sockaddr_in6*>(info->client_addr);
  return IpAddress::v6(
      std::span<const std::byte, 16>{reinterpret_cast<const std::byte*>(&in6->sin6_addr), 16});
}

std::string_view header(MHD_Connection* connection, const char* name) {
  const char* value = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
  return value != nullptr ? std::string_view{value} : std::string_view{};
}

/// One request, from its header to the end of its reply.
struct Request {
  std::optional<Reply> reply;
  std::shared_ptr<LiveStream> stream;
  bool asked = false;
};

class MicroServer final : public WebServer {
 public:
  MicroServer(WebOptions options, const Metrics& metrics, ListenSocket socket)
      : options_(std::move(options)),
        metrics_(metrics),
        socket_(socket),
        worker_({options_.store, options_.most_waiting, options_.most_streams,
                 [this] { return context(); },
                 [this] {
                   counters_.count_slow(connections_.end_slow(Connections::Clock::now(), 20s, 60s));
                 }}) {}

  ~MicroServer() override {
    worker_.stop();
    if (thread_.joinable()) thread_.join();
    if (daemon_ != nullptr)
      MHD_stop_daemon(daemon_);
    else
      close(socket_.descriptor);
  }

  Result<void> read_files() {
    auto certificate = read_text(options_.certificate);
    if (!certificate) return std::unexpected(certificate.error());
    auto key = read_text(options_.key);
    if (!key) return std::unexpected(key.error());
    auto authority = read_text(options_.authority);
    if (!authority) return std::unexpected(authority.error());
    certificate_ = std::move(*certificate);
    key_ = std::move(*key);
    authority_ = std::move(*authority);
    return {};
  }

  Result<void> start() override {
    thread_ = std::thread{[this] {
      // The measurement has priority; threads inherit it from their creator.
      setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), 10);
      const bool ready = start_daemon();
      started_ = ready ? 1 : -1;
      started_.notify_one();
      if (ready) worker_.run();
    }};
    started_.wait(0);
    if (started_ > 0) return {};
    thread_.join();
    return failure("the web server cannot start" +
                   std::string{certificate_.empty() ? "" : ": are certificate and key right?"});
  }

  std::string address() const override {
    const bool v6 = socket_.address.version() == IpVersion::v6;
    const std::string host =
        v6 ? "[" + socket_.address.to_string() + "]" : socket_.address.to_string();
    return fmt::format("{}://{}:{}/", certificate_.empty() ? "http" : "https", host, socket_.port);
  }

 private:
  bool start_daemon() {
    unsigned flags =
        MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_PEDANTIC_CHECKS;
    std::vector<MHD_OptionItem> more;
    const auto pointer = [](const std::string& text) { return const_cast<char*>(text.c_str()); };
    if (!certificate_.empty()) {
      flags |= MHD_USE_TLS;
      more.push_back({MHD_OPTION_HTTPS_MEM_CERT, 0, pointer(certificate_)});
      more.push_back({MHD_OPTION_HTTPS_MEM_KEY, 0, pointer(key_)});
      if (!authority_.empty()) more.push_back({MHD_OPTION_HTTPS_MEM_TRUST, 0, pointer(authority_)});
      static const std::string priorities = "NORMAL:-VERS-TLS1.0:-VERS-TLS1.1";
      more.push_back({MHD_OPTION_HTTPS_PRIORITIES, 0, pointer(priorities)});
    }
    more.push_back({MHD_OPTION_END, 0, nullptr});
    daemon_ = MHD_start_daemon(
        flags, 0, nullptr, nullptr, &MicroServer::on_request, this, MHD_OPTION_LISTEN_SOCKET,
        socket_.descriptor, MHD_OPTION_CONNECTION_LIMIT, options_.most_connections,
        MHD_OPTION_CONNECTION_TIMEOUT, options_.idle_seconds, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
        std::size_t{32} << 10, MHD_OPTION_NOTIFY_COMPLETED, &MicroServer::on_completed, this,
        MHD_OPTION_NOTIFY_CONNECTION, &MicroServer::on_connection, this, MHD_OPTION_EXTERNAL_LOGGER,
        &MicroServer::on_log, this, MHD_OPTION_UNESCAPE_CALLBACK, &MicroServer::unescape, nullptr,
        MHD_OPTION_ARRAY, more.data(), MHD_OPTION_END);
    return daemon_ != nullptr;
  }

  ApiContext context() const {
    ApiContext context;
    context.now = std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
    context.version = options_.version;
    context.alarms = options_.alarms;
    context.process = [this] {
      Json json = options_.process();
      json["http"] = counters_.to_json();
      json["http"]["connections"] = connections_.size();
      json["http"]["streams"] = worker_.streams();
      rusage usage{};
      getrusage(RUSAGE_SELF, &usage);
      json["memory_bytes"] = static_cast<std::int64_t>(usage.ru_maxrss) * 1024;
      json["processor_seconds"] =
          static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
          static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
      return json;
    };
    return context;
  }

  // ---- libmicrohttpd's callbacks, all on its one thread -----------------------------------------

  /// In place.  libmicrohttpd's own takes %00 for the end of the text, so that "/x%00y" would be
  /// "/x"; here invalid escapes and %00 become a character that no name contains.
  static std::size_t unescape(void*, MHD_Connection*, char* text) {
    const std::size_t size = std::strlen(text);
    auto decoded = percent_decoded({text, size});
    if (!decoded || decoded->find('\0') != std::string::npos) decoded = "\x01";
    const std::size_t length = std::min(size, decoded->size());
    std::memcpy(text, decoded->data(), length);
    text[length] = '\0';
    return length;
  }

  /// Malformed requests are counted by status, not logged line by line.
  static void on_log(void*, const char*, va_list) {}

  static void on_connection(void* self, MHD_Connection* connection, void** place,
                            MHD_ConnectionNotificationCode what) {
    auto& server = *static_cast<MicroServer*>(self);
    if (what == MHD_CONNECTION_NOTIFY_STARTED) {
      const auto* info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
      *place = server.connections_.opened(info != nullptr ? info->connect_fd : -1);
    } else if (*place != nullptr) {
      server.connections_.closed(static_cast<Connections::Entry*>(*place));
      *place = nullptr;
    }
  }

  static void on_completed(void* self, MHD_Connection* connection, void** place,
                           MHD_RequestTerminationCode) {
    auto& server = *static_cast<MicroServer*>(self);
    server.note(connection, Connections::State::waiting);
    delete static_cast<Request*>(*place);
    *place = nullptr;
  }

  static MHD_Result on_request(void* self, MHD_Connection* connection, const char* url,
                               const char* method, const char*, const char*,
                               std::size_t* upload_size, void** place) {
    auto& server = *static_cast<MicroServer*>(self);
    if (*place == nullptr) {
      auto* request = new Request;
      *place = request;
      server.note(connection, Connections::State::answering);
      if (auto refusal = server.refusal_of(connection, method)) {
        // Before the body is read: the connection is closed with the reply.
        request->reply = std::move(refusal);
        return server.send(connection, *request, true);
      }
      return MHD_YES;
    }
    auto& request = *static_cast<Request*>(*place);
    if (*upload_size > 0) {
      *upload_size = 0;
      return MHD_NO;  // a body without an announcing header
    }
    if (!request.reply && !request.stream && !request.asked)
      return server.dispatch(connection, url, request);
    if (request.stream) return server.send_stream(connection, request);
    return server.send(connection, request, false);
  }

  void note(MHD_Connection* connection, Connections::State state) {
    const auto* info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    if (info != nullptr && info->socket_context != nullptr)
      connections_.now_in(static_cast<Connections::Entry*>(info->socket_context), state);
  }

  // ---- who may
  // ------------------------------------------------------------------------------------

  std::optional<Reply> refusal_of(MHD_Connection* connection, std::string_view method) {
    if (!limit_.allows(address_of(connection), RateLimit::Clock::now()))
      return Reply::trouble(429, "too many requests; at most 100 a second");
    if (method != MHD_HTTP_METHOD_GET && method != MHD_HTTP_METHOD_HEAD)
      return Reply::trouble(405, "only GET and HEAD are answered");
    const auto length = header(connection, MHD_HTTP_HEADER_CONTENT_LENGTH);
    if ((!length.empty() && length != "0") ||
        !header(connection, MHD_HTTP_HEADER_TRANSFER_ENCODING).empty())
      return Reply::trouble(413, "a request has no body");
    if (options_.token.empty() && authority_.empty() &&
        !is_own_host(header(connection, MHD_HTTP_HEADER_HOST)))
      return Reply::trouble(421, "ask by address or as localhost, or use a token");
    if (!authority_.empty() && !has_good_certificate(connection))
      return Reply::trouble(403, "a certificate of the authority is needed");
    return std::nullopt;
  }

  static bool has_good_certificate([[maybe_unused]] MHD_Connection* connection) {
#ifdef SOJOURN_WITH_GNUTLS
    const auto* info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_GNUTLS_SESSION);
    if (info == nullptr || info->tls_session == nullptr) return false;
    unsigned status = ~0u;
    return gnutls_certificate_verify_peers2(static_cast<gnutls_session_t>(info->tls_session),
                                            &status) == GNUTLS_E_SUCCESS &&
           status == 0;
#else
    return false;
#endif
  }

  // ---- what is asked
  // --------------------------------------------------------------------------------

  MHD_Result dispatch(MHD_Connection* connection, std::string_view path, Request& request) {
    if (const PageFile* file = page_file(path)) {
      request.reply = Reply{200, std::string{file->content_type}, std::string{file->body}};
      return send(connection, request, false);
    }
    const bool api = path.starts_with(api_root);
    if (!api && path != "/metrics") {
      request.reply = Reply::trouble(404, "there is nothing here; the page is at /");
      return send(connection, request, false);
    }
    if (!options_.token.empty() &&
        !has_token(header(connection, MHD_HTTP_HEADER_AUTHORIZATION), options_.token)) {
      request.reply = Reply::trouble(401, "a token is needed: Authorization: Bearer TOKEN");
      return send(connection, request, false);
    }
    if (!api) {
      auto page =
          metrics_.page(header(connection, MHD_HTTP_HEADER_ACCEPT), options_.more_metrics());
      request.reply = Reply{200, std::move(page.content_type), std::move(page.body)};
      return send(connection, request, false);
    }
    std::vector<std::pair<std::string, std::string>> pairs;
    MHD_get_connection_values_n(
        connection, MHD_GET_ARGUMENT_KIND,
        [](void* list, MHD_ValueKind, const char* name, std::size_t name_size, const char* value,
           std::size_t value_size) {
          static_cast<std::vector<std::pair<std::string, std::string>>*>(list)->emplace_back(
              std::string{name, name_size},
              value != nullptr ? std::string{value, value_size} : std::string{});
          return MHD_YES;
        },
        &pairs);
    auto query = QueryString::from_pairs(std::move(pairs));
    if (!query) {
      request.reply = Reply::trouble(400, query.error().message);
      return send(connection, request, false);
    }
    path.remove_prefix(api_root.size());
    return path == "live" ? start_stream(connection, request, std::move(*query))
                          : ask(connection, request, std::string{path}, std::move(*query));
  }

  MHD_Result ask(MHD_Connection* connection, Request& request, std::string name,
                 QueryString query) {
    request.asked = true;
    MHD_suspend_connection(connection);
    const bool taken =
        worker_.ask(std::move(name), std::move(query), [connection, &request](Reply reply) {
          request.reply = std::move(reply);
          MHD_resume_connection(connection);
        });
    if (!taken) {
      request.reply = Reply::trouble(503, "too many questions at once; try again in a second");
      MHD_resume_connection(connection);
    }
    return MHD_YES;
  }

  MHD_Result start_stream(MHD_Connection* connection, Request& request, QueryString query) {
    if (const auto selector = Selector::parse(query); !selector) {
      request.reply = Reply::trouble(400, selector.error().message);
      return send(connection, request, false);
    }
    auto stream = std::make_shared<LiveStream>(std::move(query));
    stream->give("retry: 2000\n: columns come when the store is written to\n\n", [] {});
    if (!worker_.listen(stream, [connection] { MHD_resume_connection(connection); })) {
      request.reply = Reply::trouble(503, "too many live streams");
      return send(connection, request, false);
    }
    request.stream = std::move(stream);
    return send_stream(connection, request);
  }

  // ---- what is sent
  // ---------------------------------------------------------------------------------

  MHD_Result send(MHD_Connection* connection, const Request& request, bool and_close) {
    const Reply& reply = *request.reply;
    MHD_Response* response = MHD_create_response_from_buffer(
        reply.body.size(), const_cast<char*>(reply.body.data()), MHD_RESPMEM_MUST_COPY);
    if (reply.status == 401) MHD_add_response_header(response, "WWW-Authenticate", "Bearer");
    if (reply.status == 405) MHD_add_response_header(response, "Allow", "GET, HEAD");
    if (reply.status == 503 || reply.status == 429)
      MHD_add_response_header(response, "Retry-After", "1");
    if (and_close) MHD_add_response_header(response, "Connection", "close");
    return queue(connection, response, reply.status, reply.content_type.c_str());
  }

  struct StreamTurn {
    MicroServer* server;
    MHD_Connection* connection;
    std::shared_ptr<LiveStream> stream;
  };

  MHD_Result send_stream(MHD_Connection* connection, const Request& request) {
    note(connection, Connections::State::streaming);
    MHD_Response* response = MHD_create_response_from_callback(
        MHD_SIZE_UNKNOWN, 64 << 10,
        [](void* place, std::uint64_t, char* buffer, std::size_t room) -> ssize_t {
          auto& turn = *static_cast<StreamTurn*>(place);
          const auto taken =
              turn.stream->take(buffer, room, [&] { MHD_suspend_connection(turn.connection); });
          return taken < 0 ? static_cast<ssize_t>(MHD_CONTENT_READER_END_OF_STREAM) : taken;
        },
        new StreamTurn{this, connection, request.stream},
        [](void* place) {
          auto* turn = static_cast<StreamTurn*>(place);
          turn->stream->close();
          turn->server->worker_.leave(turn->stream.get());
          delete turn;
        });
    return queue(connection, response, 200, "text/event-stream; charset=utf-8");
  }

  MHD_Result queue(MHD_Connection* connection, MHD_Response* response, int status,
                   const char* content_type) {
    counters_.count(status);
    for (const auto& [name, value] : std::initializer_list<std::pair<const char*, const char*>>{
             {"Content-Type", content_type},
             {"Content-Security-Policy", security_policy},
             {"X-Content-Type-Options", "nosniff"},
             {"Referrer-Policy", "no-referrer"},
             {"Cross-Origin-Resource-Policy", "same-origin"},
             {"Cross-Origin-Opener-Policy", "same-origin"},
             {"Cache-Control", "no-store"}})
      MHD_add_response_header(response, name, value);
    const auto queued = MHD_queue_response(connection, static_cast<unsigned>(status), response);
    MHD_destroy_response(response);
    return queued;
  }

  WebOptions options_;
  const Metrics& metrics_;
  ListenSocket socket_;
  std::string certificate_, key_, authority_;
  HttpCounters counters_;
  Connections connections_;
  RateLimit limit_{RateLimit::Options{}};
  AnswerWorker worker_;
  std::atomic<int> started_ = 0;  ///< not in start(), which may be left before it is notified
  std::thread thread_;
  MHD_Daemon* daemon_ = nullptr;
};

}  // namespace

Result<std::unique_ptr<WebServer>> WebServer::open(const WebOptions& options,
                                                   const Metrics& metrics) {
  if (const std::string fault = access_fault(options); !fault.empty()) return failure(fault);
  if (auto loaded = load_late(microhttpd_library); !loaded) return std::unexpected(loaded.error());
  auto socket = open_listen_socket(options.host, options.port);
  if (!socket) return std::unexpected(socket.error());
  auto server = std::make_unique<MicroServer>(options, metrics, *socket);
  if (auto read = server->read_files(); !read) return std::unexpected(read.error());
  return server;
}

}  // namespace sojourn::web

#endif  // SOJOURN_WITH_MICROHTTPD
