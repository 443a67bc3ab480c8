#pragma once
// Libraries that are loaded when they are first needed.
//
// TLS, the web server and filter expressions bring some twenty libraries with them.  Loading those
// takes longer than all other work of a run on a small capture, and most runs need none of them.

#include <algorithm>
#include <cstddef>
#include <initializer_list>

#include "core/result.h"

namespace sojourn {

/// Loads a library by its name, for good; loading it again costs nothing.  Whoever may use it asks
/// once at the start, before privileges are dropped: then there is a way to report that it is
/// missing.  The same for its functions with these names.
Result<void> load_late(const char* library, std::initializer_list<const char*> names = {});

/// The address of a function or variable of a library, which is loaded if that has not happened
/// yet. Without it the program ends with a message.
void* find_late(const char* library, const char* name);

/// Text as an argument of a template.
template <std::size_t size>
struct LateName {
  constexpr LateName(const char (&text)[size]) {  // NOLINT: a text is a name
    std::copy_n(text, size, characters);
  }
  char characters[size];
};

/// Called like the function, which is looked up at the first call.
template <LateName library, LateName name, class Function>
struct LateFunction {
  operator Function*() const { return address(); }  // NOLINT: a call converts by itself
  static Function* address() {
    static Function* const found =
        reinterpret_cast<Function*>(find_late(library.characters, name.characters));
    return found;
  }
};

}  // namespace sojourn

/// In namespace sojourn: hides the library's function of that name behind one that is found late,
/// so that calls read as usual.
#define SOJOURN_LATE(library, function) \
  inline constexpr LateFunction<library, #function, decltype(::function)> function {}
