#pragma once
// The layout of a store's file.  Times are seconds since 1970.

namespace sojourn {

inline constexpr const char* sqlite_schema = R"(
create table age (id integer primary key, written_ns integer, judged_until_ns integer);
create table subjects (id integer primary key, name text not null unique);
create table prefixes (id integer primary key, prefix blob not null unique);
create table series (subject integer, kind integer, primary key (subject, kind)) without rowid;
create table blocks (
  tier integer, subject integer, kind integer, slice integer, prefix integer, cells blob not null,
  primary key (tier, subject, kind, slice, prefix)) without rowid;
create table tiers (tier integer primary key, merged_until integer, dropped_until integer);
create table ledgers (
  point text, instance integer, account text, value,
  primary key (point, instance, account)) without rowid;
create table clocks (
  subject integer, slice integer, error_ns integer, offset_low_ns integer, offset_high_ns integer,
  primary key (subject, slice)) without rowid;
)";

}  // namespace sojourn
