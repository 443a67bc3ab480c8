#include "console/output.h"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "core/printable.h"
#include "export/files/run_files.h"

namespace sojourn {
namespace {

constexpr std::size_t longest_message = 1000;

void on_standard_error(std::string_view begin, std::string_view message) {
  const std::string line = fmt::format("{}{}\n", begin, printable(message, longest_message));
  std::fwrite(line.data(), 1, line.size(), stderr);  // where else could we say that it failed?
}

/// Everything that was printed so far.
std::optional<Result<OutputFile>> said;

}  // namespace

void complain(std::string_view message) { on_standard_error("sojourn: ", message); }
void warn(std::string_view message) { on_standard_error("sojourn: warning: ", message); }

Result<void> open_output(RunFiles& files) {
  auto opened = files.open("-");
  if (!opened) return std::unexpected(opened.error());
  said.emplace(std::move(*opened));
  return {};
}

void say_text(std::string_view text) {
  if (!said) said.emplace(OutputFile::open("-"));
  if (*said) (*said)->write(text);
}

void say_text_aside(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);  // where else could we say that it failed?
}

Result<void> flush_output() {
  if (!said) return {};
  return *said ? (*said)->finish() : Result<void>{std::unexpected(said->error())};
}

Result<void> write_file(RunFiles& files, const std::string& path, std::string_view text) {
  auto file = files.open(path);
  if (!file) return std::unexpected(file.error());
  file->write(text);
  return file->finish();
}

Result<void> make_folder(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) return failure(fmt::format("cannot make the folder {}: {}", path, error.message()));
  return {};
}

}  // namespace sojourn
