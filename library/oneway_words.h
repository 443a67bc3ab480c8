#pragma once
// Notes for the user of the library about a measurement between two points.  The sentences name
// members of TwoPointOptions where the program names its options.

#include <string>
#include <string_view>
#include <vector>

#include "oneway/method.h"
#include "oneway/note.h"
#include "pipeline/oneway/oneway_run.h"

namespace sojourn::v0 {

/// A method's note, and the member that it refers to if there is one.
std::string with_members(const Note& note);

/// The method's notes, and doubts that follow from the figures.
std::vector<std::string> remarks_on(const OnewayMeasurement& measured, std::string_view method,
                                    const OnewayOptions& options);

}  // namespace sojourn::v0
