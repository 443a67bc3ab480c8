#pragma once
// A sentence for the reader of the result, and the setting that it refers to.

#include <cstdint>
#include <string>
#include <utility>

namespace sojourn {

/// Each front end has its own name for a setting: the command line an option
/// (export/oneway/note_options), a program a member.
enum class Advice : std::uint8_t {
  none,
  flow_cache,
  most_flows,
  capacity,
  link_overhead,
  link,  ///< its capacity or its overhead
  reversed_colours,
  marking,
  references
};

struct Note {
  Note() = default;
  explicit Note(std::string words, Advice about = Advice::none)
      : text(std::move(words)), advice(about) {}

  bool empty() const { return text.empty(); }

  std::string text;
  Advice advice = Advice::none;
};

}  // namespace sojourn
