#pragma once
// The options of `sojourn rtt` that choose its table, and what is said of a choice that cannot be.

#include <string_view>

#include "roundtrip/tables/table_choice.h"

namespace CLI {
class App;
}

namespace sojourn {

void add_table_options(CLI::App& rtt, TableWishes& table);

/// The reason in one line, by the names of the options.
std::string_view table_refusal(TableRefusal refusal);

}  // namespace sojourn
