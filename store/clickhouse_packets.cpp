// Writes selected packets to ClickHouse.  They need no batch: duplicate rows count once.

#include <set>

#include "core/hash.h"
#include "store/clickhouse/schema.h"
#include "store/clickhouse/values.h"
#include "store/clickhouse_store.h"
#include "store/common/or_return.h"
#include "store/second_values.h"

namespace sojourn {

Result<void> ClickHouseStore::send_packets(const StoreWrite& write) {
  struct Insert {
    clickhouse::RowWriter rows;
    std::set<std::int64_t> partitions;
  };
  std::vector<Insert> inserts(shards_.size());
  const auto send = [&](std::size_t shard) -> Result<void> {
    if (!inserts[shard].rows.empty())
      SOJOURN_OR_RETURN(shards_[shard].insert("packets", inserts[shard].rows.bytes()));
    inserts[shard] = {};
    return {};
  };
  for (const RawPacket& packet : write.packets) {
    std::uint64_t hash = packet.label;
    const std::size_t shard = split_mix(hash) % shards_.size();
    Insert& insert = inserts[shard];
    const std::int64_t slice = seconds_of(slice_of(packet.time, finest_slice));
    const FlowTag flow = FlowTag::of(packet.flow);
    insert.partitions.insert(slice / clickhouse_partition_seconds[0]);
    insert.rows.number(slice)
        .number(packet.flow)
        .number(packet.label)
        .text(write.subjects[packet.point])
        .number(packet.instance)
        .number(packet.report)
        .number(packet.position)
        .number(static_cast<std::uint8_t>(packet.is_last))
        .number(packet.selection)
        .number(to_ns(packet.time))
        .number(packet.packets)
        .fixed(sixteen_bytes(packet.prefix))
        .number(packet.prefix_length)
        .number(static_cast<std::uint8_t>(flow.group()))
        .number(std::uint64_t{1} << flow.mark());
    if (insert.partitions.size() > most_partitions || insert.rows.bytes().size() > most_bytes)
      SOJOURN_OR_RETURN(send(shard));
  }
  for (std::size_t shard = 0; shard < shards_.size(); ++shard) SOJOURN_OR_RETURN(send(shard));
  return {};
}

}  // namespace sojourn
