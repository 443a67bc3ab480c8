#include "apps/rtt_expect.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "capture/unique_fd.h"
#include "export/rtt/distribution_file.h"

namespace sojourn {
namespace {

/// The distributions of all kinds and legs, each over all of its range, take less than 20 MB, and
/// those of most_saved_groups some 100 MB more.
constexpr std::size_t largest_file = 256u << 20;

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
      return failure("this is not a file of --save-distribution: it is too large");
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

Result<void> check_groups(const RttRequest& request, const std::optional<Expectation>& expected) {
  const auto& grouping = request.options.measurement.grouping;
  const bool saved = expected && !expected->grouping.empty();
  if (saved && grouping && expected->grouping != grouping->name())
    return failure(fmt::format("{} has groups by {}: say --by {}, or save it anew", request.expect,
                               expected->grouping, expected->grouping));
  if (saved && grouping && request.split)
    return failure(fmt::format("--split compares groups, and {} has groups, too: leave one out",
                               request.expect));
  if (request.sort == GroupOrder::change && !request.split && !saved)
    return failure(
        fmt::format("--sort change: {} was saved without --by, so that groups have nothing to be "
                    "compared with",
                    request.expect));
  return {};
}

std::string distribution_text(const RttReport& report) {
  Expectation expectation = take_expectation(*report.measurement, report.kinds);
  take_groups(*report.measurement, report.kinds, expectation);
  expectation.first = report.input.first;
  expectation.last = report.input.last;
  return distribution_file(expectation);
}

}  // namespace sojourn
