// Bytes as a block of cells, as an HTTP response and as rows of ClickHouse.  For any input nothing
// is read past the end; an accepted block is unchanged after it is written and read again.

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "store/cells.h"
#include "store/clickhouse/http_client.h"
#include "store/clickhouse/row_binary.h"

using namespace sojourn;

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

void check_block(const std::uint8_t* data, std::size_t size) {
  CellBlock block;
  if (!decode(data, size, block)) return;
  Distribution distribution;
  block.add_to(distribution);
  // Marks of groups without cells are not kept.
  for (std::size_t group = 0; group < block.marks.size(); ++group) {
    bool has_cells = false;
    for (const HistogramCell& cell : block.cells) has_cells |= cell.flow_group == group;
    if (!has_cells) block.marks[group] = 0;
  }
  const auto bytes = encode(block);
  CellBlock again;
  require(decode(bytes.data(), bytes.size(), again) && again == block);
  CellBlock doubled = block;
  doubled.add(block);
  require(doubled.cells.size() == block.cells.size());
}

void check_answer(std::string_view text) {
  const auto answer = clickhouse::parse_http_answer(text);
  require(!answer || answer->body.size() <= text.size());
  clickhouse::RowReader rows{text};
  while (!rows.done()) {
    require(rows.text().size() <= text.size());
    rows.number<double>();
    for (std::uint64_t left = rows.count(); left > 0 && !rows.failed(); --left)
      rows.number<std::int64_t>();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  if (data[0] % 2 == 0)
    check_block(data + 1, size - 1);
  else
    check_answer({reinterpret_cast<const char*>(data) + 1, size - 1});
  return 0;
}
