#pragma once
// Options of types that core/ and estimate/ can parse, for CLI11.

#include <CLI/CLI.hpp>
#include <string>
#include <utility>

#include "core/result.h"

namespace sojourn {

/// An option, repeatable unless `take` overwrites, whose text `parse` (string_view -> Result<T>) understands and `take` stores.  The
/// error line is parse's own.
template <class Parse, class Take>
CLI::Option* add_parsed(CLI::App& app, const std::string& names, Parse parse, Take take,
                        const std::string& description) {
  return app
      .add_option_function<std::vector<std::string>>(
          names,
          [parse, take](const std::vector<std::string>& texts) {
            for (const std::string& text : texts) take(*parse(text));
          },
          description)
      ->check([parse](const std::string& text) {
        const auto parsed = parse(text);
        return parsed ? std::string{} : parsed.error().message;
      })
      ->allow_extra_args(false);  // one value each: what follows may be a capture
}

}  // namespace sojourn
