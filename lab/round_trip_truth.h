#pragma once
// The true delays of a simulated TCP connection, known from both ends.

#include <cstdint>
#include <optional>
#include <vector>

#include "lab/frame_builder.h"

namespace sojourn {

/// Observes the packets of one connection at the observer's position and determines the samples of
/// the kinds tcp, handshake, tcp-ts and flow.  It is written from the definition
/// (docs/design/pairing.md), shares no code with roundtrip/, and may be slow and simple: it keeps
/// plain lists, and needs no hashing, no expiry sweep and no guess of the client.
class RoundTripTruth {
 public:
  void observe(const LabSegment& segment, Timestamp time, const LabEnds& ends,
               std::vector<Sample>& found);

 private:
  struct Waiting {
    std::uint32_t token;
    Timestamp since;
    bool repeated = false;
  };
  using List = std::vector<Waiting>;

  struct Side {
    List segments;  ///< by the number that would acknowledge them
    List stamps;    ///< by TSval
    std::optional<std::uint32_t> acknowledged, newest_stamp;
  };

  static void ask(List& list, std::uint32_t token, Timestamp time);
  static std::optional<Waiting> answer(List& list, std::uint32_t token, Timestamp time);
  static void forget(List& list, std::uint32_t newest, std::uint32_t reach);
  void handshake(const LabSegment& segment, Timestamp time, const LabEnds& ends,
                 std::vector<Sample>& found);
  void stamps(const LabSegment& segment, Timestamp time, const LabEnds& ends,
              std::vector<Sample>& found);
  void segments(const LabSegment& segment, Timestamp time, const LabEnds& ends,
                std::vector<Sample>& found);

  Side side_[2];  ///< 0: the client's
  std::optional<Timestamp> opened_;
  bool ended_ = false, syn_ack_seen_ = false;
  List to_server_, to_client_, whole_;
};

}  // namespace sojourn
