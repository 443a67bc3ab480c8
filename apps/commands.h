#pragma once
// The subcommands of `sojourn`: each adds its options, and a way to run it if it is chosen.

#include <functional>

#include "console/exit_status.h"

namespace CLI {
class App;
}

namespace sojourn {

/// Runs the chosen subcommand once the command line is understood.
using Run = std::function<int()>;

void add_rtt(CLI::App& app, Run& run);
void add_mark(CLI::App& app, Run& run);
void add_oneway(CLI::App& app, Run& run);
void add_point(CLI::App& app, Run& run);
void add_lab(CLI::App& app, Run& run);
/// Below `lab`: compare and tune, which judge a capture of the user's own.
void add_lab_compare(CLI::App& lab, Run& run);
void add_lab_tune(CLI::App& lab, Run& run);
void add_generate(CLI::App& app, Run& run);
void add_collect(CLI::App& app, Run& run);
void add_query(CLI::App& app, Run& run);
void add_watch(CLI::App& app, Run& run);

}  // namespace sojourn
