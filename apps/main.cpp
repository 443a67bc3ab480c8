// sojourn: how long packets stay on the road.

#include <fmt/core.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <new>
#include <string>
#include <string_view>

#include "apps/commands.h"
#include "apps/interrupt.h"

namespace {

/// CLI11 explains itself in several lines; the contract is one.
std::string in_one_line(std::string message) {
  for (char& character : message)
    if (character == '\n') character = ' ';
  while (!message.empty() && message.back() == ' ') message.pop_back();
  return message;
}

/// One line, from memory that is there already.
void out_of_memory() {
  constexpr std::string_view line =
      "sojourn: out of memory; sojourn rtt --memory SIZE measures in a fixed size\n";
  if (write(STDERR_FILENO, line.data(), line.size()) < 0) std::_Exit(sojourn::exit_error);
  std::_Exit(sojourn::exit_error);
}

}  // namespace

int main(int argc, char** argv) {
  std::set_new_handler(out_of_memory);
  CLI::App app{"Sojourn measures network delay from the traffic that is already there."};
  app.name("sojourn");
  app.set_version_flag("--version", "sojourn " SOJOURN_VERSION);
  app.require_subcommand(0, 1);
  app.get_formatter()->column_width(34);
  app.footer(
      "Examples:\n"
      "  sojourn rtt capture.pcap              round-trip delays in a capture\n"
      "  sudo sojourn rtt -i eth0              ... of the traffic on an interface, live\n"
      "  sojourn rtt --help                    all options, with examples");

  sojourn::Run run;
  sojourn::add_rtt(app, run);
  sojourn::add_oneway(app, run);
  sojourn::add_mark(app, run);
  sojourn::add_lab(app, run);
  sojourn::add_generate(app, run);

  // CLI11 reports by exceptions; they end here.
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help_or_version) {
    return app.exit(help_or_version);
  } catch (const CLI::ParseError& error) {
    fmt::print(
        stderr, "sojourn: {} (see sojourn{} --help)\n", in_one_line(error.what()),
        app.get_subcommands().empty() ? "" : " " + app.get_subcommands().front()->get_name());
    return sojourn::exit_usage;
  }
  if (!run) {
    fmt::print(stderr, "sojourn: no command given (see sojourn --help)\n");
    return sojourn::exit_usage;
  }
  sojourn::watch_for_shortened_files();
  return run();
}
