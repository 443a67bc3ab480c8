#pragma once
// HTTP over a store: the page, its API and metrics.
//
//     auto server = WebServer::open(options, metrics);   binds the port and reads the files
//     ... give up privileges ...
//     (*server)->start();                                 two threads, at a lower priority

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/result.h"
#include "export/json_values.h"
#include "web/metrics/metrics.h"

namespace sojourn::web {

struct WebOptions {
  std::string host = "127.0.0.1";
  std::uint16_t port = 8080;  ///< 0: any that is free
  std::string store;          ///< name of the store that is asked
  std::string version;
  std::string token;                        ///< empty: none is needed
  std::string certificate, key, authority;  ///< PEM files; with an authority clients need their own
  bool insecure = false;                    ///< other addresses than loopback without TLS
  unsigned most_connections = 512;
  unsigned most_streams = 200;
  std::size_t most_waiting = 256;  ///< questions in line
  std::uint32_t idle_seconds = 15;
  /// What the process adds to `health` and to the metrics, and its alarms.
  std::function<Json()> process = [] { return Json::object(); };
  std::function<Json()> alarms = [] { return Json::array(); };
  std::function<std::vector<MetricFamily>()> more_metrics = [] {
    return std::vector<MetricFamily>{};
  };
};

/// Loopback may be open; anything else needs TLS and a token or client certificates, or `insecure`.
/// The sentence says what is missing; empty if nothing is.
std::string access_fault(const WebOptions& options);

class WebServer {
 public:
  virtual ~WebServer() = default;

  /// `metrics` must outlive it.
  static Result<std::unique_ptr<WebServer>> open(const WebOptions& options, const Metrics& metrics);

  /// Call it after privileges were dropped, which each thread has to do for itself.
  virtual Result<void> start() = 0;
  /// "http://127.0.0.1:8080/"
  virtual std::string address() const = 0;
};

}  // namespace sojourn::web
