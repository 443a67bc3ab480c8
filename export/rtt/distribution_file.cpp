#include "export/rtt/distribution_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <tuple>

#include "export/json_values.h"

namespace sojourn {
namespace {

constexpr std::string_view format_name = "sojourn-distribution";
constexpr int format_version = 2;

std::int32_t first_bucket(std::int32_t cell) {
  return FlowGroups::last_bucket(cell) - FlowGroups::buckets_per_cell + 1;
}

Json part_object(const Expectation::Part& part) {
  const DelaySnapshot& delays = part.delays;
  Json object{{"kind", name_of(part.kind)},
              {"leg", name_of(part.leg)},
              {"samples", delays.samples},
              {"total_weight", number_or_null(delays.total_weight())},
              {"effective_samples", number_or_null(delays.effective_samples())},
              {"inflation", number_or_null(delays.inflation)},
              {"serial_inflation", number_or_null(delays.serial_inflation)},
              {"mean_ns", to_ns(delays.mean)},
              {"min_ns", to_ns(delays.min)},
              {"max_ns", to_ns(delays.max)}};
  object["quantiles"] = Json::array();
  for (const auto& quantile : delays.quantiles)
    object["quantiles"].push_back({{"q", quantile.q}, {"delay_ns", to_ns(quantile.delay)}});
  object["buckets"] = Json::array();
  for (const auto& bucket : delays.buckets)
    object["buckets"].push_back({LogBuckets::lowest(bucket.index), number_or_null(bucket.weight),
                                 number_or_null(bucket.squared_weight)});
  object["flow_groups"] = Json::array();
  delays.flows.for_each([&](std::int32_t cell, const FlowGroups::Row& row) {
    Json weights = Json::array();
    for (const double weight : row) weights.push_back(number_or_null(weight));
    object["flow_groups"].push_back({LogBuckets::lowest(first_bucket(cell)), std::move(weights)});
  });
  object["flows_seen"] = Json::array();
  for (const std::uint64_t marks : delays.flows.seen()) object["flows_seen"].push_back(marks);
  return object;
}

Json group_object(const Expectation::GroupPart& group) {
  Json object{{"group", group.label}};
  object.update(part_object(group.part));
  return object;
}

/// `object[key]`, or null if it is missing or `object` is not an object.
const Json& member(const Json& object, const char* key) {
  static const Json nothing;
  if (!object.is_object()) return nothing;
  const auto found = object.find(key);
  return found == object.end() ? nothing : *found;
}

std::optional<std::int64_t> whole(const Json& value) {
  if (!value.is_number_integer()) return std::nullopt;
  if (value.is_number_unsigned() &&
      value.get<std::uint64_t>() > std::uint64_t{std::numeric_limits<std::int64_t>::max()})
    return std::nullopt;
  return value.get<std::int64_t>();
}

/// Positive, and small enough that sums and squares of millions of them stay finite.
std::optional<double> positive(const Json& value) {
  if (!value.is_number()) return std::nullopt;
  const double result = value.get<double>();
  return result > 0 && result < 1e100 ? std::optional{result} : std::nullopt;
}

Result<DelaySnapshot::Bucket> read_bucket(const Json& value) {
  if (!value.is_array() || value.size() != 3)
    return failure("a bucket is not [lowest_ns, weight, squared_weight]");
  const auto lowest = whole(value[0]);
  const auto weight = positive(value[1]), squared = positive(value[2]);
  if (!lowest || !weight || !squared)
    return failure("a bucket is not [lowest_ns, weight, squared_weight]");
  const std::int32_t index = LogBuckets::index_of(*lowest);
  if (LogBuckets::lowest(index) != *lowest)
    return failure(fmt::format("no bucket begins at {} ns", *lowest));
  return DelaySnapshot::Bucket{index, *weight, *squared};
}

Result<void> read_flow_group(const Json& value, FlowGroups& flows, double& total) {
  const auto wrong = failure("a member of 'flow_groups' is not [lowest_ns, [32 weights]]");
  if (!value.is_array() || value.size() != 2 || !value[1].is_array() ||
      value[1].size() != FlowTag::groups)
    return wrong;
  const auto lowest = whole(value[0]);
  if (!lowest) return wrong;
  const std::int32_t cell = FlowGroups::cell_of(LogBuckets::index_of(*lowest));
  if (LogBuckets::lowest(first_bucket(cell)) != *lowest)
    return failure(fmt::format("no cell of flow groups begins at {} ns", *lowest));
  FlowGroups::Row row;
  for (std::size_t g = 0; g < row.size(); ++g) {
    const Json& weight = value[1][g];
    if (!weight.is_number() || !(weight.get<double>() >= 0) || weight.get<double>() >= 1e100)
      return wrong;
    row[g] = weight.get<double>();
    total += row[g];
  }
  flows.add_row(cell, row);
  return {};
}

/// The weights by group of flows, which add up to those of the buckets.
Result<void> read_flows(const Json& object, DelaySnapshot& delays) {
  const Json& groups = member(object, "flow_groups");
  const Json& seen = member(object, "flows_seen");
  if (!groups.is_array()) return failure("'flow_groups' is not an array");
  if (!seen.is_array() || seen.size() != FlowTag::groups ||
      !std::ranges::all_of(seen, [](const Json& marks) { return marks.is_number_unsigned(); }))
    return failure("'flows_seen' is not an array of 32 numbers");
  double total = 0;
  for (const Json& value : groups)
    if (auto read = read_flow_group(value, delays.flows, total); !read) return read;
  for (std::size_t g = 0; g < seen.size(); ++g)
    delays.flows.add_seen(g, seen[g].get<std::uint64_t>());
  if (std::abs(total - delays.total_weight()) > 1e-6 * delays.total_weight())
    return failure("the groups of flows do not add up to 'total_weight'");
  return {};
}

Result<DelaySnapshot> read_delays(const Json& object) {
  DelaySnapshot delays;
  const auto samples = whole(member(object, "samples"));
  const auto min = whole(member(object, "min_ns")), max = whole(member(object, "max_ns"));
  const auto mean = whole(member(object, "mean_ns"));
  if (!samples || *samples < 1) return failure("'samples' is not a number above 0");
  if (!min || !max || !mean)
    return failure("'min_ns', 'max_ns' and 'mean_ns' are not all whole numbers");
  const auto inflation = positive(member(object, "inflation"));
  if (!inflation || *inflation < 1) return failure("'inflation' is not a number from 1 on");
  delays.samples = static_cast<std::uint64_t>(*samples);
  const auto serial = positive(member(object, "serial_inflation"));
  if (!serial || *serial < 1) return failure("'serial_inflation' is not a number from 1 on");
  delays.inflation = *inflation;
  delays.serial_inflation = *serial;
  delays.min = Duration{*min};
  delays.max = Duration{*max};
  delays.mean = Duration{*mean};

  const Json& quantiles = member(object, "quantiles");
  if (!quantiles.is_array()) return failure("'quantiles' is not an array");
  for (const Json& value : quantiles) {
    const auto q = positive(member(value, "q"));
    const auto delay = whole(member(value, "delay_ns"));
    if (!q || *q >= 1 || !delay) return failure("a quantile is not {q, delay_ns}");
    delays.quantiles.push_back({*q, Duration{*delay}});
  }

  const Json& buckets = member(object, "buckets");
  if (!buckets.is_array() || buckets.empty())
    return failure("'buckets' is not an array with members");
  for (const Json& value : buckets) {
    const auto bucket = read_bucket(value);
    if (!bucket) return std::unexpected(bucket.error());
    if (!delays.buckets.empty() && delays.buckets.back().index >= bucket->index)
      return failure("the buckets are not in order of delay");
    delays.buckets.push_back(*bucket);
  }
  const auto total = positive(member(object, "total_weight"));
  if (!total || std::abs(*total - delays.total_weight()) > 1e-6 * *total)
    return failure("the buckets do not add up to 'total_weight'");
  // Cauchy and Schwarz: the effective number cannot exceed the number of samples.
  if (delays.effective_samples() > static_cast<double>(delays.samples) * (1 + 1e-6))
    return failure("the squared weights are too small for the number of samples");
  if (const auto flows = read_flows(object, delays); !flows) return std::unexpected(flows.error());
  return delays;
}

Result<Expectation::Part> read_part(const Json& object) {
  const Json& kind_name = member(object, "kind");
  const Json& leg_name = member(object, "leg");
  if (!kind_name.is_string() || !leg_name.is_string())
    return failure("a distribution has no 'kind' and 'leg'");
  const auto kind = kind_named(kind_name.get_ref<const std::string&>());
  const auto leg = std::ranges::find(leg_names, leg_name.get_ref<const std::string&>());
  if (!kind) return failure("it has a kind that this sojourn does not know");
  if (leg == leg_names.end())
    return failure(fmt::format("{} has a leg that this sojourn does not know", name_of(*kind)));
  auto delays = read_delays(object);
  if (!delays)
    return std::unexpected(delays.error().while_doing(fmt::format("{}.{}", name_of(*kind), *leg)));
  return Expectation::Part{*kind, static_cast<Leg>(leg - leg_names.begin()), std::move(*delays)};
}

/// The groups of --by, if the run had any.
Result<void> read_groups(const Json& document, Expectation& expectation) {
  const Json& grouping = member(document, "grouping");
  const Json& groups = member(document, "groups");
  if (grouping.is_null() && groups.is_null()) return {};
  if (!grouping.is_string() || !groups.is_array())
    return failure("'grouping' and 'groups' are not a text and an array");
  expectation.grouping = grouping.get<std::string>();
  std::set<std::tuple<std::string, Kind, Leg>> met;
  for (const Json& object : groups) {
    const Json& label = member(object, "group");
    if (!label.is_string()) return failure("a group has no name");
    auto part = read_part(object);
    if (!part) return std::unexpected(part.error());
    const auto& name = label.get_ref<const std::string&>();
    if (!met.emplace(name, part->kind, part->leg).second)
      return failure(
          fmt::format("{}.{} of a group is there twice", name_of(part->kind), name_of(part->leg)));
    expectation.groups.push_back({name, std::move(*part)});
  }
  return {};
}

}  // namespace

std::string distribution_file(const Expectation& expectation) {
  const auto time = [](std::optional<Timestamp> at) {
    return at ? Json(to_ns(*at)) : Json(nullptr);
  };
  Json document{{"format", format_name},
                {"version", format_version},
                {"first_ns", time(expectation.first)},
                {"last_ns", time(expectation.last)},
                {"scheme", {{"name", "log-linear"}, {"mantissa_bits", LogBuckets::mantissa_bits}}}};
  // One line for each distribution: a person can read the file, and a diff shows the place.
  std::string text = document.dump(1);
  text.resize(text.size() - 2);  // the closing brace comes later
  text += ",\n \"distributions\": [";
  for (std::size_t i = 0; i < expectation.parts.size(); ++i)
    text += (i == 0 ? "\n  " : ",\n  ") + part_object(expectation.parts[i]).dump();
  text += "\n ]";
  if (!expectation.grouping.empty()) {
    text += ",\n \"grouping\": " + Json(expectation.grouping).dump() + ",\n \"groups\": [";
    for (std::size_t i = 0; i < expectation.groups.size(); ++i)
      text += (i == 0 ? "\n  " : ",\n  ") + group_object(expectation.groups[i]).dump();
    text += "\n ]";
  }
  return text + "\n}\n";
}

Result<Expectation> parse_distribution_file(std::string_view text) {
  const Json document = Json::parse(text, nullptr, false);
  if (document.is_discarded() || member(document, "format") != format_name)
    return failure("this is not a file of --save-distribution");
  const auto version = whole(member(document, "version"));
  if (!version) return failure("it does not name its version");
  if (*version == 1)
    return failure(
        "it was written by an older sojourn and does not tell flows apart: save it anew with "
        "--save-distribution");
  if (*version != format_version)
    return failure(fmt::format("it is of version {}, and this sojourn reads version {}", *version,
                               format_version));
  const Json& scheme = member(document, "scheme");
  if (member(scheme, "name") != "log-linear" ||
      member(scheme, "mantissa_bits") != LogBuckets::mantissa_bits)
    return failure("its buckets are laid out in a way that this sojourn does not know");
  Expectation expectation;
  if (const auto first = whole(member(document, "first_ns")))
    expectation.first = timestamp_from_ns(*first);
  if (const auto last = whole(member(document, "last_ns")))
    expectation.last = timestamp_from_ns(*last);
  const Json& distributions = member(document, "distributions");
  if (!distributions.is_array()) return failure("'distributions' is not an array");
  for (const Json& object : distributions) {
    auto part = read_part(object);
    if (!part) return std::unexpected(part.error());
    if (expectation.find(part->kind, part->leg))
      return failure(fmt::format("{}.{} is there twice", name_of(part->kind), name_of(part->leg)));
    expectation.parts.push_back(std::move(*part));
  }
  if (const auto read = read_groups(document, expectation); !read)
    return std::unexpected(read.error());
  return expectation;
}

}  // namespace sojourn
