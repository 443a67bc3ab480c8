#pragma once
// What a point exports: one template for each kind of record.

#include <cstdint>
#include <vector>

#include "ipfix/template.h"

namespace sojourn::ipfix {

/// Numbers of the templates below, the same at every point.
enum TemplateId : std::uint16_t {
  flow_v4_template = 256,
  flow_v6_template,
  cell_v4_template,
  cell_v6_template,
  report_template,     // who sends this message: in every message, and first
  selection_template,  // options, as the ones below
  clock_template,
  counters_template,
  // 264 and 265 are those of `sojourn query --ipfix`.
  mark_template = 266,    // a flow in an interval of alternate marking
  marking_run_template,   // options: what all marks of the point have in common
  reference_v4_template,  // a flow in an interval of reference packets
  reference_v6_template,
  reference_interval_template,  // that interval: reference packets, and packets without an estimate
  reference_run_template,       // options: what all intervals of the point have in common
};

/// All of them.  `enterprise` is the number below which our own elements are.
std::vector<Template> point_templates(std::uint32_t enterprise);

/// Bytes of the records of fixed length.
inline constexpr std::size_t flow_v4_bytes = 80, flow_v6_bytes = 104;
inline constexpr std::size_t cell_v4_bytes = 52, cell_v6_bytes = 64;
inline constexpr std::size_t selection_bytes = 76, clock_bytes = 21, counters_bytes = 92;
/// Without what their words have, but with a byte for the length of each.
inline constexpr std::size_t mark_bytes = 98, marking_run_bytes = 27;
inline constexpr std::size_t reference_v4_bytes = 69, reference_v6_bytes = 93;
inline constexpr std::size_t reference_interval_bytes = 88, reference_run_bytes = 30;

}  // namespace sojourn::ipfix
