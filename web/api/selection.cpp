#include "web/api/selection.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/parse.h"
#include "naming/stored_group.h"

namespace sojourn::web {
namespace {

/// 1902 to 2242: seconds whose nanoseconds fit into 64 bits.
constexpr std::int64_t most_seconds = 8'589'934'592;

}  // namespace

std::string measure_name(std::uint8_t measure) {
  if (measure == number_of(Measure::oneway)) return "oneway";
  if (measure == number_of(Measure::loss)) return "loss";
  return measure < kind_count ? std::string{kind_names[measure]} : "unknown";
}

std::optional<std::uint8_t> measure_named(std::string_view name) {
  if (name == "oneway") return number_of(Measure::oneway);
  if (const auto kind = kind_named(name)) return number_of(*kind);
  return std::nullopt;
}

Result<Selector> Selector::parse(const QueryString& query, const std::string& suffix) {
  Selector selector;
  const auto subject = query.find("subject" + suffix);
  if (!subject || subject->empty() || subject->size() > 200)
    return failure(fmt::format("subject{} must name a segment or a point", suffix));
  selector.subject = *subject;
  const auto kind = query.find("kind" + suffix);
  const auto measure = kind ? measure_named(*kind) : std::nullopt;
  if (!measure)
    return failure(
        fmt::format("kind{} must be oneway or one of {}", suffix, fmt::join(kind_names, ", ")));
  selector.measure = *measure;
  if (const auto leg = query.find("leg" + suffix); leg && !leg->empty()) {
    const auto found = std::ranges::find(leg_names, *leg);
    if (found == leg_names.end())
      return failure(fmt::format("leg{} must be one of {}", suffix, fmt::join(leg_names, ", ")));
    selector.leg = static_cast<std::uint8_t>(found - leg_names.begin());
  }
  if (const auto prefix = query.find("prefix" + suffix); prefix && !prefix->empty()) {
    const auto parsed = parse_group(*prefix);
    if (!parsed) return std::unexpected(parsed.error().while_doing("prefix" + suffix));
    selector.prefix = *parsed;
  }
  return selector;
}

bool Selector::takes(const CellSeries& series) const {
  if (leg && series.leg != *leg) return false;
  return !prefix || belongs_to({series.prefix, series.prefix_length}, *prefix);
}

Result<std::int64_t> whole_number(const QueryString& query, std::string_view name,
                                  std::int64_t least, std::int64_t most, std::int64_t otherwise) {
  const auto text = query.find(name);
  if (!text || text->empty()) return otherwise;
  if (const auto number = parse_integer(*text, least, most)) return number;
  return failure(fmt::format("{} must be a whole number from {} to {}", name, least, most));
}

Result<Stretch> Stretch::parse(const QueryString& query, Timestamp now, const std::string& suffix) {
  const std::int64_t present = seconds_since_1970(now);
  const auto to = whole_number(query, "to_s" + suffix, -most_seconds, most_seconds, present + 1);
  if (!to) return std::unexpected(to.error());
  const auto from = whole_number(query, "from_s" + suffix, -most_seconds, most_seconds, *to - 3600);
  if (!from) return std::unexpected(from.error());
  Stretch stretch{timestamp_from_ns(*from * 1'000'000'000), timestamp_from_ns(*to * 1'000'000'000)};
  if (stretch.to <= stretch.from)
    return failure(fmt::format("from_s{} must be before to_s{}", suffix, suffix));
  if (stretch.to - stretch.from > longest) return failure("at most five years can be asked for");
  return stretch;
}

Result<SelectedDelays> delays_of(Store& store, const Selector& selector, const Stretch& stretch) {
  std::map<std::uint8_t, Distribution> legs;
  const auto done =
      store.read({selector.subject, selector.measure, stretch.from, stretch.to, Duration::max()},
                 [&](const CellSeries& series, Duration, const CellBlock& block) {
                   if (selector.takes(series)) block.add_to(legs[series.leg]);
                 });
  if (!done) return std::unexpected(done.error());
  const auto heaviest =
      std::ranges::max_element(legs, {}, [](const auto& leg) { return leg.second.total_weight(); });
  if (heaviest == legs.end()) return SelectedDelays{selector.leg, Distribution{}};
  return SelectedDelays{heaviest->first, std::move(heaviest->second)};
}

}  // namespace sojourn::web
