#pragma once
// The way from a point to its collector: the spool, and the exporter that empties it.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "core/result.h"
#include "export/files/run_files.h"
#include "ipfix/message_writer.h"
#include "ipfix/transport/endpoint.h"
#include "ipfix/transport/exporter.h"
#include "ipfix/transport/spool.h"

namespace sojourn {

struct CollectorLinkOptions {
  ipfix::Endpoint collector;
  ipfix::TlsFiles tls;
  std::string spool_folder;  ///< empty: in memory
  std::size_t spool_bytes = std::size_t{64} << 20;
  std::uint64_t instance = 0;
  ipfix::WriterOptions writer;
};

/// Its certificates and its spool, which no output may replace.
void note_files_of(const CollectorLinkOptions& options, RunFiles& files);

class CollectorLink {
 public:
  /// Makes the folder and reads the certificates: for whoever drops privileges afterwards.
  static Result<std::unique_ptr<CollectorLink>> open(const CollectorLinkOptions& options);

  ipfix::Spool& spool() { return *spool_; }
  ipfix::Exporter& exporter() { return *exporter_; }

  /// Prints what the exporter has to say.
  void say_log();
  /// Sends the rest.  The last report still counts the records before it as spooled.  Once they are
  /// sent, `report` is called again, so that the collector gets the final counts.  False if the
  /// collector does not accept everything.
  bool send_the_rest(std::chrono::milliseconds patience, const std::function<void()>& report);
  /// The last lines of a point that has counted so many packets.
  std::string summary(const std::string& name, std::uint64_t packets) const;
  /// The fate of unsent messages, reported last: a warning, or an error if they are lost.
  Result<void> account_for_the_rest(bool all_sent);

 private:
  explicit CollectorLink(const CollectorLinkOptions& options) : options_(options) {}

  CollectorLinkOptions options_;
  std::unique_ptr<ipfix::Spool> spool_;
  std::unique_ptr<ipfix::Exporter> exporter_;
};

}  // namespace sojourn
