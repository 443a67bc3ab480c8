// sojourn: how long packets stay on the road.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <sstream>
#include <string>
#include <string_view>

#include "apps/commands.h"
#include "console/interrupt.h"
#include "console/last_words.h"
#include "console/output.h"
#include "export/files/output_file.h"

namespace {

/// CLI11 explains itself in several lines; the contract is one.
std::string in_one_line(std::string message) {
  for (char& character : message)
    if (character == '\n') character = ' ';
  while (!message.empty() && message.back() == ' ') message.pop_back();
  return message;
}

/// What a program says last may still be on its way, and may not arrive.
int after_output_has_arrived(int status) {
  const auto arrived = sojourn::flush_output();
  if (sojourn::OutputFile::reader_gone()) sojourn::end_for_lack_of_readers();
  if (arrived) return status;
  sojourn::complain(arrived.error().message);
  return sojourn::exit_error;
}

struct Command {
  std::string_view name;
  void (*add)(CLI::App& app, sojourn::Run& run);
};
constexpr std::array<Command, 9> commands = {{{"rtt", sojourn::add_rtt},
                                              {"oneway", sojourn::add_oneway},
                                              {"mark", sojourn::add_mark},
                                              {"point", sojourn::add_point},
                                              {"lab", sojourn::add_lab},
                                              {"generate", sojourn::add_generate},
                                              {"collect", sojourn::add_collect},
                                              {"query", sojourn::add_query},
                                              {"watch", sojourn::add_watch}}};

/// The options of a named command are enough; those of all would take a millisecond to set up.
const Command* find_command(std::string_view name) {
  const auto* const found = std::ranges::find(commands, name, &Command::name);
  return found == commands.end() ? nullptr : found;
}

}  // namespace

int main(int argc, char** argv) {
  sojourn::keep_standard_descriptors();
  sojourn::install_last_words();
  sojourn::clean_up_on_signals();
  CLI::App app{"Sojourn measures network delay from the traffic that is already there."};
  app.name("sojourn");
  app.set_version_flag("--version", "sojourn " SOJOURN_VERSION);
  app.require_subcommand(0, 1);
  app.get_formatter()->column_width(34);
  app.footer(
      "Examples:\n"
      "  sojourn rtt capture.pcap              round-trip delays in a capture\n"
      "  sudo sojourn rtt -i eth0              ... of the traffic on an interface, live\n"
      "  sudo sojourn watch -i eth0            ... kept, and shown by a page in the browser\n"
      "  sojourn rtt --help                    all options, with examples");

  sojourn::Run run;
  const Command* const named = find_command(argc > 1 ? argv[1] : "");
  for (const Command& command : commands)
    if (!named || named == &command) command.add(app, run);

  // CLI11 reports by exceptions; they end here.
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help_or_version) {
    std::ostringstream text;
    const int status = app.exit(help_or_version, text, text);
    sojourn::say_text(text.str());
    return after_output_has_arrived(status);
  } catch (const CLI::ParseError& error) {
    const auto chosen = app.get_subcommands();
    sojourn::complain(fmt::format("{} (see sojourn{} --help)", in_one_line(error.what()),
                                  chosen.empty() ? "" : " " + chosen.front()->get_name()));
    return sojourn::exit_usage;
  }
  if (!run) {
    sojourn::complain("no command given (see sojourn --help)");
    return sojourn::exit_usage;
  }
  sojourn::watch_for_shortened_files();
  return after_output_has_arrived(run());
}
