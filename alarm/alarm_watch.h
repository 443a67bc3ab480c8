#pragma once
// The thread that evaluates the store every minute and reports to the log and the webhook.

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "alarm/alarm_book.h"
#include "alarm/alarm_round.h"
#include "alarm/webhook.h"

namespace sojourn {

struct AlarmWatchOptions {
  std::string store;
  AlarmOptions alarms;
  std::optional<WebhookOptions> webhook;
  std::function<void(const std::string&)> log;
  /// The body of a webhook.
  std::function<std::string(AlarmBook::Change, const Alarm&)> document;
};

class AlarmWatch {
 public:
  explicit AlarmWatch(AlarmWatchOptions options);
  ~AlarmWatch();

  /// Open alarms first, then past ones; newest first.
  std::vector<Alarm> alarms() const;
  /// Empty without a webhook.
  std::optional<WebhookCounts> webhook_counts() const;

 private:
  void run();
  void look(Store& store);

  AlarmWatchOptions options_;
  AlarmRounds rounds_;
  std::unique_ptr<Webhook> webhook_;
  mutable std::mutex mutex_;
  std::condition_variable stop_;
  AlarmBook book_;
  bool stopping_ = false, failing_ = false;
  std::thread thread_;
};

/// "alarm 3: each tcp p95 < 50ms: north, 12 groups: ..."
std::string sentence_of(AlarmBook::Change change, const Alarm& alarm);

}  // namespace sojourn
