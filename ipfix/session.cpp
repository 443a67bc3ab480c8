#include "ipfix/session.h"

#include <algorithm>
#include <cmath>

#include "core/flow_tag.h"
#include "estimate/distribution/log_histogram.h"
#include "ipfix/mark_values.h"
#include "ipfix/option_values.h"
#include "ipfix/point_templates.h"
#include "ipfix/reference_values.h"

namespace sojourn::ipfix {
namespace {

bool possible(const RttCell& cell) {
  return index_of(cell.kind) < kind_count && index_of(cell.leg) < leg_count &&
         cell.prefix_length <= cell.prefix.bit_length() && cell.flow_group < FlowTag::groups &&
         cell.bin >= -LogBuckets::per_sign && cell.bin < LogBuckets::per_sign &&
         std::isfinite(cell.weight) && cell.weight >= 0 && std::isfinite(cell.squared_weights) &&
         cell.squared_weights >= 0 && cell.length > Duration::zero();
}

void empty(PointReport& report) {
  report.point = {};
  report.number = 0;
  report.exported = {};
  report.selection.reset();
  report.clock.reset();
  report.counters.reset();
  report.records.clear();
  report.cells.clear();
  report.marking.reset();
  report.marks.clear();
  report.referencing.reset();
  report.references.clear();
  report.records_without_label = 0;
  report.missing_records = 0;
}

}  // namespace

std::size_t Session::templates() const {
  std::size_t count = 0;
  for (const auto& [domain, known] : domains_) count += known.size();
  return count;
}

Decoded Session::decode(std::span<const std::byte> message, PointReport& report) {
  empty(report);
  Decoded decoded;
  const auto refuse = [&](Trouble trouble) {
    ++troubles_[trouble];
    decoded.counted = false;
    return decoded;
  };
  if (message.size() < header_bytes) return refuse(Trouble::short_message);
  if (load<std::uint16_t>(message.data()) != version) return refuse(Trouble::other_version);
  decoded.header = {
      load<std::uint16_t>(message.data() + 2), load<std::uint32_t>(message.data() + 4),
      load<std::uint32_t>(message.data() + 8), load<std::uint32_t>(message.data() + 12)};
  if (decoded.header.length != message.size()) return refuse(Trouble::wrong_length);
  decoded.framed = true;
  report.exported = timestamp_from_ns(std::int64_t{decoded.header.export_time} * 1'000'000'000);
  const bool whole = read_sets(message.subspan(header_bytes), decoded, report);
  refuse_strange_counts(report);
  return whole ? decoded : refuse(Trouble::bad_set);
}

/// False if one of them does not end within the message.
bool Session::read_sets(std::span<const std::byte> rest, Decoded& decoded, PointReport& report) {
  while (!rest.empty()) {
    if (rest.size() < set_header_bytes) return false;
    const auto id = load<std::uint16_t>(rest.data());
    const std::size_t length = load<std::uint16_t>(rest.data() + 2);
    if (length < set_header_bytes || length > rest.size()) return false;
    const auto content = rest.subspan(set_header_bytes, length - set_header_bytes);
    if (id == template_set || id == options_template_set)
      read_templates(content, decoded.header.domain, id == options_template_set);
    else if (id >= first_data_set)
      read_data(content, id, decoded, report);
    else
      ++troubles_[Trouble::reserved_set];
    rest = rest.subspan(length);
  }
  return true;
}

/// Those of a run that the message does not name, or of an interval that the run does not have.
void Session::refuse_strange_counts(PointReport& report) {
  troubles_[Trouble::bad_value] += std::erase_if(report.marks, [&](const MarkCount& count) {
    return !report.marking || !is_of(count, *report.marking);
  });
  if (report.referencing) return;
  for (const ReferenceInterval& interval : report.references)
    troubles_[Trouble::bad_value] += interval.records();
  report.references.clear();
}

void Session::read_templates(std::span<const std::byte> set, std::uint32_t domain, bool options) {
  // What is shorter than a template's header is padding (RFC 7011 section 3.3.1).
  while (set.size() >= 4) {
    Template announced{load<std::uint16_t>(set.data()), 0, {}};
    const std::size_t count = load<std::uint16_t>(set.data() + 2);
    set = set.subspan(4);
    if (count == 0) {
      withdraw(announced.id, domain, options);
      continue;
    }
    if (announced.id < first_data_set) return void(++troubles_[Trouble::bad_template]);
    if (options) {
      if (set.size() < 2) return void(++troubles_[Trouble::bad_template]);
      announced.scopes = load<std::uint16_t>(set.data());
      set = set.subspan(2);
      if (announced.scopes == 0 || announced.scopes > count)
        return void(++troubles_[Trouble::bad_template]);
    }
    if (count > options_.limits.fields_per_template)
      return void(++troubles_[Trouble::too_many_fields]);
    announced.fields.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
      if (set.size() < 4) return void(++troubles_[Trouble::bad_template]);
      Field field{load<std::uint16_t>(set.data()), load<std::uint16_t>(set.data() + 2)};
      set = set.subspan(4);
      if (field.element & enterprise_bit) {
        if (set.size() < 4) return void(++troubles_[Trouble::bad_template]);
        field.element &= static_cast<std::uint16_t>(~enterprise_bit);
        field.enterprise = load<std::uint32_t>(set.data());
        set = set.subspan(4);
      }
      announced.fields.push_back(field);
    }
    // Records of no bytes would never come to an end.
    if (least_record_bytes(announced.fields) == 0) {
      ++troubles_[Trouble::bad_template];
      continue;
    }
    learn(std::move(announced), domain);
  }
}

/// RFC 7011 section 8.1: of one template, or (number 2 or 3) of all.
void Session::withdraw(std::uint16_t id, std::uint32_t domain, bool options) {
  const auto known = domains_.find(domain);
  if (known == domains_.end()) return;
  const std::uint16_t all = options ? options_template_set : template_set;
  std::erase_if(known->second, [&](const auto& entry) {
    const Template& announced = entry.second.announced();
    const bool goes = id == all ? announced.is_options() == options : announced.id == id;
    if (goes) fields_ -= announced.fields.size();
    return goes;
  });
  if (known->second.empty()) domains_.erase(known);
}

void Session::learn(Template announced, std::uint32_t domain) {
  auto known = domains_.find(domain);
  if (known == domains_.end() && domains_.size() >= options_.limits.domains)
    return void(++troubles_[Trouble::too_many_domains]);
  const RecordPlan* old = nullptr;
  if (known != domains_.end()) {
    const auto found = known->second.find(announced.id);
    if (found != known->second.end()) old = &found->second;
  }
  if (old && old->announced() == announced) return;  // repeated, as over UDP
  if (!old && known != domains_.end() &&
      known->second.size() >= options_.limits.templates_per_domain)
    return void(++troubles_[Trouble::too_many_templates]);
  const std::size_t gone = old ? old->announced().fields.size() : 0;
  if (fields_ - gone + announced.fields.size() > options_.limits.fields)
    return void(++troubles_[Trouble::too_many_templates]);
  fields_ += announced.fields.size() - gone;
  const std::uint16_t id = announced.id;
  domains_[domain].insert_or_assign(id, RecordPlan{std::move(announced), options_.enterprise});
}

/// Calls take(values) for each record whose values can be.
template <class Values, class TakeValues>
std::optional<std::size_t> Session::read_values(const RecordPlan& plan,
                                                std::span<const std::byte> set, TakeValues take) {
  std::size_t records = 0;
  while (set.size() >= plan.least_bytes()) {
    Values values;
    if (!plan.visit_record(set, [&](const Field& field, std::span<const std::byte> bytes) {
          values.take(field, bytes, options_.enterprise);
        }))
      return std::nullopt;
    ++records;
    if (values.possible())
      take(values);
    else
      ++troubles_[Trouble::bad_value];
  }
  return records;
}

void Session::read_data(std::span<const std::byte> set, std::uint16_t id, Decoded& decoded,
                        PointReport& report) {
  const auto known = domains_.find(decoded.header.domain);
  const RecordPlan* plan = nullptr;
  if (known != domains_.end()) {
    const auto found = known->second.find(id);
    if (found != known->second.end()) plan = &found->second;
  }
  if (!plan) {
    ++troubles_[Trouble::without_template];
    decoded.counted = false;
    return;
  }
  std::optional<std::size_t> records;
  switch (plan->kind()) {
    case RecordKind::flow:
      records = plan->read_flows(set, report.records);
      break;
    case RecordKind::cell: {
      const std::size_t before = report.cells.size();
      records = plan->read_cells(set, report.cells);
      refuse_bad_cells(report.cells, before);
      break;
    }
    case RecordKind::mark:
      records = read_values<MarkValues>(
          *plan, set, [&](const MarkValues& values) { report.marks.push_back(values.count()); });
      break;
    case RecordKind::reference:
      records = read_values<ReferenceValues>(
          *plan, set, [&](const ReferenceValues& values) { values.tell(report.references); });
      break;
    case RecordKind::options:
      records = read_values<OptionValues>(*plan, set, [&](const OptionValues& values) {
        decoded.from_a_point |= values.tell(report);
      });
      break;
    case RecordKind::flow_without_label:
    case RecordKind::other:
      records = plan->count(set);
      break;
  }
  if (!records) {
    ++troubles_[Trouble::bad_record];
    decoded.counted = false;
    return;
  }
  if (plan->kind() == RecordKind::flow_without_label) report.records_without_label += *records;
  decoded.data_records += static_cast<std::uint32_t>(*records);
}

void Session::refuse_bad_cells(std::vector<RttCell>& cells, std::size_t from) {
  const auto begin = cells.begin() + static_cast<std::ptrdiff_t>(from);
  const auto good = std::remove_if(begin, cells.end(), [](const auto& c) { return !possible(c); });
  troubles_[Trouble::bad_value] += static_cast<std::uint64_t>(cells.end() - good);
  cells.erase(good, cells.end());
}

}  // namespace sojourn::ipfix
