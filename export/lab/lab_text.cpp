#include "export/lab/lab_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>

#include "core/printable.h"
#include "export/text_table.h"

namespace sojourn {
namespace {

using Align = TextTable::Align;

/// Columns of a terminal that the longer cells of the claims are broken at.
constexpr std::size_t statement_width = 52, value_width = 26;

void put_lines(std::string& text, const TextTable& table) {
  for (const std::string& line : table.lines(120)) text += "  " + line + "\n";
}

void put_claims(std::string& text, const std::vector<Claim>& claims) {
  TextTable table{{Align::left, Align::left, Align::left, Align::left}};
  table.row({"claim", "paper", "ours", "verdict"});
  for (const Claim& claim : claims) {
    const auto statement = wrapped(claim.statement, statement_width);
    const auto paper = wrapped(paper_text(claim), value_width),
               ours = wrapped(claim.ours, value_width);
    const std::size_t lines = std::max({statement.size(), paper.size(), ours.size()});
    const auto cell = [](const std::vector<std::string>& cells, std::size_t i) {
      return i < cells.size() ? cells[i] : std::string{};
    };
    for (std::size_t i = 0; i < lines; ++i)
      table.row({cell(statement, i), cell(paper, i), cell(ours, i),
                 i == 0 ? std::string{verdict_of(claim)} : ""});
  }
  put_lines(text, table);
}

/// A column is aligned by its first cell: numbers to the right.
Align alignment(const ResultTable& table, std::size_t column) {
  if (table.rows.empty() || column >= table.rows.front().size()) return Align::left;
  const std::string& cell = table.rows.front()[column].text;
  const std::size_t sign = cell.starts_with('-') || cell.starts_with('+') ? 1 : 0;
  const bool is_number = cell.size() > sign && std::isdigit(static_cast<unsigned char>(cell[sign]));
  return is_number || cell == "-" ? Align::right : Align::left;
}

void put_table(std::string& text, const ResultTable& table) {
  std::vector<Align> columns;
  for (std::size_t i = 0; i < table.columns.size(); ++i) columns.push_back(alignment(table, i));
  TextTable aligned{columns};
  aligned.row(heads_of(table));
  for (const auto& cells : table.rows) {
    auto row = texts_of(cells);
    row.resize(table.columns.size());
    aligned.row(std::move(row));
  }
  text += "\n  " + table.title + "\n";
  put_lines(text, aligned);
}

}  // namespace

std::string lab_text(const Experiment& experiment, const LabReport& report) {
  std::string text =
      fmt::format("{}  {} ({})\n\n", experiment.name, experiment.summary, experiment.source);
  if (!report.claims.empty()) put_claims(text, report.claims);
  for (const ResultTable& table : report.tables) put_table(text, table);
  return text;
}

std::string lab_text(const LabResult& result, std::span<const std::string> files) {
  return fmt::format("{}\n{}  took {:.1f} s\n\n", lab_text(*result.experiment, result.report),
                     files_written(files, "  "), result.seconds);
}

std::string lab_verdict(std::span<const LabResult> results) {
  std::size_t claims = 0, missed = 0;
  for (const LabResult& result : results) {
    claims += result.report.claims.size();
    missed += missed_claims(result.report);
  }
  return fmt::format("{} of {} claims missed\n", missed, claims);
}

std::string files_written(std::span<const std::string> files, std::string_view indent) {
  std::string text;
  for (const std::string& file : files)
    text += fmt::format("{}wrote {}\n", indent, printable(file));
  return text;
}

std::string table_text(const ResultTable& table) {
  std::string text;
  put_table(text, table);
  return text;
}

std::string lab_list(std::span<const Experiment> all) {
  TextTable table{{Align::left, Align::left, Align::left}};
  for (const Experiment& experiment : all)
    table.row({std::string{experiment.name}, std::string{experiment.source},
               std::string{experiment.summary}});
  std::string text = "The experiments; run one by its name, or all of them with 'all':\n\n";
  put_lines(text, table);
  text +=
      "\nOn a capture of your own:\n\n"
      "  compare  every table against the exact distribution, by memory\n"
      "  tune     the smallest memory and the table that reach an accuracy\n";
  return text;
}

}  // namespace sojourn
