#include "apps/rtt_expect.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "capture/unique_fd.h"
#include "export/rtt/distribution_file.h"

namespace sojourn {
namespace {

/// The distributions of all kinds and legs, each over all of its range, take less than 20 MB.
constexpr std::size_t largest_file = 64u << 20;

Result<std::string> read_file(const std::string& path) {
  const auto file = UniqueFd::open(path);
  if (!file) return std::unexpected(file.error());
  std::string text;
  std::array<char, 65'536> piece;
  while (true) {
    const ssize_t count = ::read(file->get(), piece.data(), piece.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return failure(std::strerror(errno));
    if (count == 0) return text;
    text.append(piece.data(), static_cast<std::size_t>(count));
    if (text.size() > largest_file)
      return failure("this is no file of --save-distribution: it is too large");
  }
}

}  // namespace

Result<Expectation> load_expectation(const std::string& path) {
  const auto text = read_file(path);
  auto expectation =
      text ? parse_distribution_file(*text) : Result<Expectation>{std::unexpected(text.error())};
  if (!expectation) return std::unexpected(expectation.error().while_doing("cannot read " + path));
  return expectation;
}

std::string distribution_text(const RttReport& report) {
  Expectation expectation = take_expectation(*report.measurement, report.kinds);
  expectation.first = report.input.first;
  expectation.last = report.input.last;
  return distribution_file(expectation);
}

}  // namespace sojourn
