#pragma once
// What a method notes, with the options of the command line that it is about.

#include <string>

#include "oneway/note.h"

namespace sojourn {

std::string with_options(const Note& note);

}  // namespace sojourn
