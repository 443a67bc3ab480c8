#include "alarm/alarm_watch.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>

namespace sojourn {

std::string sentence_of(AlarmBook::Change change, const Alarm& alarm) {
  if (change == AlarmBook::Change::closed)
    return fmt::format("alarm {} is over: {}: {}", alarm.id, alarm.rule, alarm.subject);
  const std::string who = alarm.groups.size() == 1 ? *alarm.groups.begin()
                                                   : fmt::format("{} groups", alarm.groups.size());
  return fmt::format("alarm {}: {}: {}{}{}: {}", alarm.id, alarm.rule, alarm.subject,
                     who.empty() ? "" : ", ", who, alarm.worst.why);
}

AlarmWatch::AlarmWatch(AlarmWatchOptions options)
    : options_(std::move(options)), rounds_(options_.alarms) {
  if (options_.webhook) webhook_ = std::make_unique<Webhook>(*options_.webhook, options_.log);
  thread_ = std::thread{[this] { run(); }};
}

AlarmWatch::~AlarmWatch() {
  {
    const std::lock_guard lock{mutex_};
    stopping_ = true;
    stop_.notify_one();
  }
  thread_.join();
}

std::vector<Alarm> AlarmWatch::alarms() const {
  const std::lock_guard lock{mutex_};
  auto all = book_.open();
  all.insert(all.end(), book_.past().begin(), book_.past().end());
  return all;
}

std::optional<WebhookCounts> AlarmWatch::webhook_counts() const {
  if (!webhook_) return std::nullopt;
  return webhook_->counts();
}

void AlarmWatch::run() {
  // The measurement has priority.
  setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), 10);
  auto store = open_store_for_reading(options_.store);
  std::unique_lock lock{mutex_};
  while (!stopping_) {
    stop_.wait_for(lock, options_.alarms.every, [&] { return stopping_; });
    if (stopping_) return;
    lock.unlock();
    if (!store) store = open_store_for_reading(options_.store);
    if (store) look(**store);
    lock.lock();
  }
}

void AlarmWatch::look(Store& store) {
  const Timestamp now = std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
  const auto findings = rounds_.look(store, now);
  if (!findings) {
    if (!std::exchange(failing_, true))
      options_.log("alarms: the store cannot be read: " + findings.error().message);
    return;
  }
  failing_ = false;
  std::vector<std::pair<AlarmBook::Change, Alarm>> changes;
  {
    const std::lock_guard lock{mutex_};
    changes = book_.take(now, *findings);
  }
  for (const auto& [change, alarm] : changes) {
    options_.log(sentence_of(change, alarm));
    if (webhook_) webhook_->send(options_.document(change, alarm));
  }
}

}  // namespace sojourn
