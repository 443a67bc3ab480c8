#include "naming/name_table.h"

#include "core/printable.h"

namespace sojourn {

std::uint32_t NameTable::number_of(std::string_view text) {
  const std::lock_guard lock{mutex_};
  std::string key{text.substr(0, longest)};
  if (const auto found = numbers_.find(key); found != numbers_.end()) return found->second;
  if (texts_.size() >= most_) {
    ++without_room_;
    return most_ + 1;
  }
  const auto number = static_cast<std::uint32_t>(texts_.size() + 1);
  texts_.push_back(&numbers_.emplace(std::move(key), number).first->first);
  return number;
}

std::string NameTable::text_of(std::uint32_t number) const {
  if (number == none) return {};
  const std::lock_guard lock{mutex_};
  if (number > texts_.size()) return "others";
  constexpr std::size_t longest_shown = 80;
  return printable(*texts_[number - 1], longest_shown);
}

std::size_t NameTable::size() const {
  const std::lock_guard lock{mutex_};
  return texts_.size();
}

std::uint64_t NameTable::without_room() const {
  const std::lock_guard lock{mutex_};
  return without_room_;
}

}  // namespace sojourn
