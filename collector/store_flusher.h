#pragma once
// From a collector to its store, over and over.

#include <functional>
#include <string>
#include <utility>

#include "collector/collector.h"
#include "store/store.h"

namespace sojourn {

/// Writes what is ready.  An error is logged once, and its end is logged too.
class StoreFlusher {
 public:
  /// `stored` is given what was written; `log` a sentence now and then.
  StoreFlusher(Store& store, std::string name, std::function<void(const StoreWrite&)> stored,
               std::function<void(const std::string&)> log)
      : store_(store), name_(std::move(name)), stored_(std::move(stored)), log_(std::move(log)) {}

  Result<void> flush(Collector& collector, Timestamp now) {
    const StoreWrite write = collector.to_store(now);
    auto written = store_.write(write);
    if (written) {
      stored_(write);
      collector.stored();
      if (std::exchange(failing_, false)) log_(name_ + " can be written again; nothing was lost");
      return {};
    }
    const Error error = written.error().while_doing("cannot write " + name_);
    if (!std::exchange(failing_, true)) log_(error.message + "; trying again every 10 s");
    return std::unexpected(error);
  }

 private:
  Store& store_;
  std::string name_;
  std::function<void(const StoreWrite&)> stored_;
  std::function<void(const std::string&)> log_;
  bool failing_ = false;
};

}  // namespace sojourn
