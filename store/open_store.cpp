// Opens the store that a name denotes.

#include "store/clickhouse_join.h"
#include "store/clickhouse_store.h"
#include "store/store.h"
#ifdef SOJOURN_WITH_SQLITE
#include "store/sqlite_store.h"
#endif

#include <unistd.h>

namespace sojourn {
namespace {

Result<std::unique_ptr<Store>> open_named(const std::string& name, bool to_write) {
  if (name.starts_with(clickhouse::Address::scheme)) return ClickHouseStore::open(name, to_write);
  if (!to_write && access(name.c_str(), F_OK) != 0)
    return failure("there is no store " + name + ": a collector makes one");
#ifdef SOJOURN_WITH_SQLITE
  return SqliteStore::open(name, to_write ? SqliteStore::Access::write : SqliteStore::Access::read);
#else
  return failure("this program was built without SQLite: install libsqlite3-dev and build it anew");
#endif
}

}  // namespace

Result<std::unique_ptr<Store>> open_store(const std::string& name) {
  return open_named(name, true);
}

Result<std::unique_ptr<Store>> open_store_for_reading(const std::string& name) {
  return open_named(name, false);
}

Result<std::unique_ptr<Store>> open_store_for_joining(const std::string& name) {
  if (!name.starts_with(clickhouse::Address::scheme))
    return failure("only ClickHouse joins by itself: " + name + " is a file");
  return ClickHouseJoin::open(name);
}

}  // namespace sojourn
