#pragma once
// A method's notes, with the command-line options that they refer to.

#include <string>

#include "oneway/note.h"

namespace sojourn {

std::string with_options(const Note& note);

}  // namespace sojourn
