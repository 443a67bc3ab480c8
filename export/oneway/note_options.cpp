#include "export/oneway/note_options.h"

#include <string_view>

namespace sojourn {
namespace {

std::string_view words_of(Advice advice) {
  switch (advice) {
    case Advice::flow_cache:
      return " See --cache.";
    case Advice::most_flows:
      return " See --max-flows.";
    case Advice::capacity:
      return " See --capacity.";
    case Advice::link_overhead:
      return " See --link-overhead.";
    case Advice::link:
      return " See --capacity and --link-overhead.";
    case Advice::reversed_colours:
      return " See --reversed.";
    case Advice::marking:
      return " See --carrier, --marking and --interval.";
    case Advice::references:
      return " (sojourn generate --points 2 --references 100 makes captures with some)";
    case Advice::none:
      break;
  }
  return {};
}

}  // namespace

std::string with_options(const Note& note) {
  return note.text + std::string{words_of(note.advice)};
}

}  // namespace sojourn
