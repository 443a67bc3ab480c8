#include "places/maxmind.h"

#ifdef SOJOURN_WITH_MAXMINDDB
#include <fmt/format.h>
#include <maxminddb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <initializer_list>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "core/printable.h"

namespace sojourn {
namespace {

class MaxMind final : public Places {
 public:
  ~MaxMind() override {
    for (MMDB_s& file : files_) MMDB_close(&file);
  }

  Result<void> open(const std::string& path) {
    if (std::FILE* readable = std::fopen(path.c_str(), "re"))
      std::fclose(readable);
    else
      return failure(fmt::format("cannot read {}: {}", path, std::strerror(errno)));
    MMDB_s file{};
    if (const int status = MMDB_open(path.c_str(), MMDB_MODE_MMAP, &file); status != MMDB_SUCCESS)
      return failure(fmt::format("cannot read {}: {}", path, MMDB_strerror(status)));
    files_.push_back(file);
    return {};
  }

  std::uint32_t system_of(const IpAddress& address) override {
    for (const MMDB_s& file : files_) {
      MMDB_entry_s entry = find(file, address);
      const auto number =
          value(entry, MMDB_DATA_TYPE_UINT32, {"autonomous_system_number", nullptr});
      if (!number || number->uint32 == 0) continue;
      remember(number->uint32, entry);
      return number->uint32;
    }
    return 0;
  }

  std::string name_of_system(std::uint32_t number) const override {
    const std::scoped_lock lock{mutex_};
    const auto found = names_.find(number);
    return fmt::format("AS{}{}", number,
                       found == names_.end() || found->second.empty() ? "" : " " + found->second);
  }

  std::uint16_t country_of(const IpAddress& address) override {
    for (const MMDB_s& file : files_) {
      MMDB_entry_s entry = find(file, address);
      const auto code = value(entry, MMDB_DATA_TYPE_UTF8_STRING, {"country", "iso_code", nullptr});
      if (!code || code->data_size != 2) continue;
      const auto is_letter = [](char letter) { return letter >= 'A' && letter <= 'Z'; };
      const char first = code->utf8_string[0], second = code->utf8_string[1];
      if (is_letter(first) && is_letter(second))
        return static_cast<std::uint16_t>(first << 8 | second);
    }
    return 0;
  }

 private:
  /// An entry without a file counts as missing.
  static MMDB_entry_s find(const MMDB_s& file, const IpAddress& address) {
    sockaddr_in6 six{};
    sockaddr_in four{};
    const sockaddr* where = nullptr;
    if (address.version() == IpVersion::v4) {
      four.sin_family = AF_INET;
      std::memcpy(&four.sin_addr, address.bytes().data(), sizeof four.sin_addr);
      where = reinterpret_cast<const sockaddr*>(&four);
    } else {
      six.sin6_family = AF_INET6;
      std::memcpy(&six.sin6_addr, address.bytes().data(), sizeof six.sin6_addr);
      where = reinterpret_cast<const sockaddr*>(&six);
    }
    int status = MMDB_SUCCESS;
    const MMDB_lookup_result_s found = MMDB_lookup_sockaddr(&file, where, &status);
    return status == MMDB_SUCCESS && found.found_entry ? found.entry : MMDB_entry_s{};
  }

  static std::optional<MMDB_entry_data_s> value(MMDB_entry_s& entry, std::uint32_t type,
                                                std::initializer_list<const char*> path) {
    MMDB_entry_data_s data{};
    if (entry.mmdb == nullptr || MMDB_aget_value(&entry, &data, std::data(path)) != MMDB_SUCCESS ||
        !data.has_data || data.type != type)
      return std::nullopt;
    return data;
  }

  /// The file's texts are for people: control characters are not printed.
  void remember(std::uint32_t number, MMDB_entry_s& entry) {
    const std::scoped_lock lock{mutex_};
    if (names_.contains(number)) return;
    const auto name =
        value(entry, MMDB_DATA_TYPE_UTF8_STRING, {"autonomous_system_organization", nullptr});
    names_[number] = name ? printable(std::string(name->utf8_string, name->data_size)) : "";
  }

  std::vector<MMDB_s> files_;
  mutable std::mutex mutex_;
  std::unordered_map<std::uint32_t, std::string> names_;  ///< of the systems met
};

}  // namespace

Result<std::shared_ptr<Places>> open_maxmind(std::span<const std::string> files) {
  auto places = std::make_shared<MaxMind>();
  for (const std::string& file : files)
    if (auto opened = places->open(file); !opened) return std::unexpected(opened.error());
  return places;
}

}  // namespace sojourn

#else

namespace sojourn {

Result<std::shared_ptr<Places>> open_maxmind(std::span<const std::string>) {
  return failure("this binary was built without libmaxminddb (Debian: libmaxminddb-dev)");
}

}  // namespace sojourn

#endif
