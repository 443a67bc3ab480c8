#pragma once
// Round-trip delays from one point: captures, an interface, or packets of your own.
//
//     auto trips = sojourn::RoundTrips::create({.memory_bytes = 64 << 10});
//     if (!trips) return complain(trips.error());
//     if (const auto done = trips->read({"capture.pcap"}); !done) return complain(done.error());
//     if (const auto p95 = trips->distribution(sojourn::Kind::tcp).quantile_ns(0.95))
//       std::cout << *p95 << " ns\n";

#include <sojourn/distribution.h>
#include <sojourn/result.h>
#include <sojourn/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace sojourn::v0 {

/// What to measure.  Unset fields get the defaults of the program.
struct RoundTripOptions {
  std::vector<Kind> kinds = {};  ///< empty: all but response and tls
  std::string table = {};        ///< "exact", "tailored", "fridges" ...; empty: chosen by memory
  /// The size of fixed memory; if not all requests fit, samples are weighted.  With table "exact":
  /// the limit at which the run stops.  0: every request is remembered, up to half of the machine's
  /// memory; listen() uses 16 MiB, because others decide what arrives.
  std::uint64_t memory_bytes = 0;
  std::int64_t expire_ns = 0;            ///< a request is forgotten after this long; 0: 10 s
  std::vector<std::string> inside = {};  ///< prefixes of our side: legs become external, internal
  std::string group_by = {};             ///< "flow", "host", "prefix/24" ...; empty: no groups
  std::size_t most_groups = 0;           ///< 0: a million; later groups are in "other"
  std::string filter = {};               ///< of packets, in tcpdump's language
  bool keep_ambiguous = false;           ///< also use requests that were sent more than once
  bool anonymize = false;                ///< addresses are replaced, prefixes preserved
  unsigned threads = 1;                  ///< of read(); everything else uses one thread
  std::uint64_t seed = 0;                ///< of hashing; 0: a random one
};

/// Outcome counts of the requests of a kind.
struct RequestCounts {
  std::uint64_t requests = 0;
  std::uint64_t ambiguous = 0;   ///< sent more than once: no sample
  std::uint64_t unanswered = 0;  ///< no response before the timeout or the end
};

struct Group {
  std::string label;
  Kind kind;
  Leg leg;
  Distribution distribution;
};

/// One measurement.  Not thread-safe, except for stop().
class SOJOURN_API RoundTrips {
 public:
  /// Called with some samples at a time, which are valid until it returns.  It must not throw:
  /// an exception ends the program (std::terminate).
  using Consumer = std::function<void(std::span<const Sample>)>;

  static Result<RoundTrips> create(const RoundTripOptions& options, Consumer consumer = {});
  RoundTrips(RoundTrips&&) noexcept;
  RoundTrips& operator=(RoundTrips&&) noexcept;
  ~RoundTrips();

  // Choose one of three sources of packets, and use it to its end; the others are then refused.

  /// Captures (pcap, pcapng, also compressed), merged in the order of time.  "-" is standard input.
  /// Opening a named pipe waits until another process opens it for writing.
  Result<void> read(const std::vector<std::string>& paths);
  /// Packets of an interface, for this long; needs root or CAP_NET_RAW.  Returns earlier if the
  /// interface disappears.  May be called again to continue, with the same interface.
  Result<void> listen(const std::string& interface, std::int64_t duration_ns);
  /// Ends listening and gives the interface back.  The figures stay.
  void close();
  /// Your own packets, in the order of time; call finish() after the last.
  Result<void> push(std::span<const Packet> packets);
  /// No more packets will come from push() or listen().  Call it once; read() does it by itself.
  Result<void> finish();

  /// The exact table would have needed more memory than it may use.  The figures cover what came
  /// before; warnings() says how much that was.  read() and listen() then return, and pushed
  /// packets are not measured.
  bool is_full() const;
  /// listen() will hear nothing more: the interface disappeared, stop() was called, or is_full().
  bool has_ended() const;

  /// Makes read() or listen() return soon.  May be called from any thread or signal handler.
  void stop();

  std::uint64_t packets() const;  ///< that the filter accepted
  /// Packets that were not measured, by reason: "filtered", "kernel-drops" (lost before they could
  /// be read) ...
  std::vector<Count> skipped() const;
  /// One line for each thing the user should know, such as a file that ends too early.
  std::vector<std::string> warnings() const;
  std::uint64_t memory_bytes() const;  ///< of the table and the connections
  std::uint64_t limit_bytes() const;   ///< where the exact table stops; 0: another table
  RequestCounts requests(Kind kind) const;
  Distribution distribution(Kind kind, Leg leg = Leg::headline) const;
  /// The groups with the most samples first.
  std::vector<Group> groups(std::size_t most = 1000) const;

 private:
  struct Run;
  explicit RoundTrips(std::unique_ptr<Run> run);
  std::unique_ptr<Run> run_;
};

}  // namespace sojourn::v0
