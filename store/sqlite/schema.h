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

/// Counts of marking points, in files of earlier versions too: made where they are missing.  `run`
/// is a row of marking_runs, `flow` one of mark_flows; 0 stands for the interval itself.  No mark
/// of a flow begins after its `until_ns`.
inline constexpr const char* sqlite_marks_schema = R"(
create table if not exists marking_runs (
  id integer primary key, point text not null, instance integer not null, duty text, method text,
  carrier text, exponent integer, clock_error_ns integer, since_ns integer, copies integer,
  ended integer, unique (point, instance));
create table if not exists mark_flows (
  id integer primary key, flow text not null unique, until_ns integer);
create table if not exists marks (
  run integer, start_ns integer, flow integer, interval integer, read_ns integer, doubt text,
  packets integer, pulses integer, pulse_ns integer, late_ns integer, early_ns integer,
  middle integer, contrary integer, other integer, marked_before integer, repeats integer,
  primary key (run, start_ns, flow)) without rowid;
)";

/// Delays by reference packets, likewise: a row for each interval, and one for each flow in it.
inline constexpr const char* sqlite_references_schema = R"(
create table if not exists reference_runs (
  id integer primary key, point text not null, instance integer not null, since_ns integer,
  every_ns integer, clock_error_ns integer, ended integer, unique (point, instance));
create table if not exists reference_intervals (
  run integer, begin_ns integer, end_ns integer, used integer, lost integer, reordered integer,
  of_others integer, off integer, before_first integer, after_last integer, no_room integer,
  unread integer, primary key (run, begin_ns)) without rowid;
create table if not exists reference_flows (
  run integer, begin_ns integer, source text, source_port integer, destination text,
  destination_port integer, protocol integer, end_ns integer, packets integer, measured integer,
  left_only integer, mean_ns real, deviation_ns real,
  primary key (run, begin_ns, source, source_port, destination, destination_port, protocol))
  without rowid;
)";

}  // namespace sojourn
