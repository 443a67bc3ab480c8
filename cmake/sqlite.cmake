# SQLite for `collect` and `query`, if available: without it the two say what is missing.
pkg_check_modules(sqlite IMPORTED_TARGET sqlite3)
add_library(sojourn_sqlite INTERFACE)
if(sqlite_FOUND)
  target_compile_definitions(sojourn_sqlite INTERFACE SOJOURN_WITH_SQLITE)
  target_link_libraries(sojourn_sqlite INTERFACE PkgConfig::sqlite)
else()
  message(STATUS "Without a store: libsqlite3-dev is missing")
endif()
