#include "store/clickhouse/server.h"

#include <fmt/format.h>

#include <cstdlib>
#include <utility>

namespace sojourn::clickhouse {
namespace {

/// "Code: 60, e.displayText() = DB::Exception: Table x does not exist., e.what() = ..." in a line.
std::string reason_of(const HttpAnswer& answer) {
  std::string text = answer.body.substr(0, answer.body.find('\n'));
  if (const auto what = text.find(", e.what()"); what != std::string::npos) text.resize(what);
  const std::string_view marker = "DB::Exception: ";
  if (const auto at = text.find(marker); at != std::string::npos) text.erase(0, at + marker.size());
  if (text.size() > 300) text.resize(300);
  return text.empty() ? fmt::format("it answered with status {}", answer.status) : text;
}

}  // namespace

std::string quoted(std::string_view text) {
  std::string out = "'";
  for (const char each : text) {
    const auto byte = static_cast<unsigned char>(each);
    if (each == '\'' || each == '\\' || byte < 0x20)
      out += fmt::format("\\x{:02x}", byte);
    else
      out.push_back(each);
  }
  return out + "'";
}

Server::Server(HostPort host, const Address& address)
    : host_(std::move(host)), database_(address.database) {
  if (!address.user.empty()) headers_ += "X-ClickHouse-User: " + address.user + "\r\n";
  const char* password = std::getenv("CLICKHOUSE_PASSWORD");
  if (password != nullptr && *password != 0)
    headers_ += "X-ClickHouse-Key: " + std::string{password} + "\r\n";
}

Result<std::string> Server::post(const std::string& query, std::string_view body,
                                 bool in_database) const {
  // Waits for the end of the query, since an error in the middle would otherwise look like rows.
  std::string target = "/?wait_end_of_query=1";
  if (in_database) target += "&database=" + database_;
  if (!query.empty()) target += "&query=" + percent_encoded(query);
  auto answer = http_post(host_, target, headers_, body);
  if (!answer) return std::unexpected(answer.error().while_doing(host_.to_string()));
  if (answer->status != 200)
    return std::unexpected(Error{reason_of(*answer)}.while_doing(host_.to_string()));
  return std::move(answer->body);
}

Result<void> Server::ping() const {
  auto answer = post({}, "select 1", false);
  if (!answer) return std::unexpected(answer.error());
  return {};
}

Result<std::string> Server::select(const std::string& sql) const { return post({}, sql, true); }

Result<void> Server::run(const std::string& sql) const {
  auto answer = post({}, sql, true);
  if (!answer) return std::unexpected(answer.error());
  return {};
}

Result<void> Server::insert(const std::string& table_and_columns, std::string_view rows) const {
  auto answer = post("insert into " + table_and_columns + " format RowBinary", rows, true);
  if (!answer) return std::unexpected(answer.error());
  return {};
}

Result<void> Server::create_database() const {
  auto answer = post({}, "create database if not exists " + database_, false);
  if (!answer) return std::unexpected(answer.error());
  return {};
}

}  // namespace sojourn::clickhouse
