#pragma once
// RLI's sender in the kernel, as this process holds it.

#include <cstddef>
#include <cstdint>
#include <memory>

#include "core/result.h"
#include "dataplane/kernel/reference/reference_abi.h"

namespace sojourn {

/// At tc egress it counts what passes, wakes this process up when enough has, and writes the time
/// into the reference packets that this process sends: the time at which they join the queue, not
/// the one at which somebody meant to send them.
class ReferenceSender {
 public:
  static Result<ReferenceSender> load(std::uint16_t sender);

  ReferenceSender(ReferenceSender&&) noexcept;
  ReferenceSender& operator=(ReferenceSender&&) noexcept;
  ~ReferenceSender();

  int descriptor() const;       ///< of the program, for tc egress
  int wake_descriptor() const;  ///< readable when enough packets have passed
  void hear_wake();             ///< until then it stays readable

  /// Wake up when so many packets have passed since begin_gap(); 0: never.
  void wake_after(std::uint64_t packets);
  /// How many have passed since the last call; counting begins anew.
  std::uint64_t begin_gap();
  /// Tells the program how far its clock is from that of captures; to be repeated now and then.
  void follow_clock();
  rp_sending counters() const;

 private:
  struct State;
  explicit ReferenceSender(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace sojourn
