#pragma once
// The thread that reads the store, so that no request blocks the sockets.

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "store/store.h"
#include "web/api/api.h"
#include "web/live_stream.h"

namespace sojourn::web {

/// Answers questions in their order, and feeds live streams when the store was written to.
class AnswerWorker {
 public:
  using Done = std::function<void(Reply)>;
  struct Options {
    std::string store;
    std::size_t most_waiting = 256;
    std::size_t most_streams = 200;
    std::function<ApiContext()> context;
    std::function<void()> every_second = [] {};
  };

  explicit AnswerWorker(Options options) : options_(std::move(options)) {}

  /// False when too many are queued.  `done` is called on the worker's thread.
  bool ask(std::string name, QueryString query, Done done);
  /// False when there are too many.  `wake` resumes the connection.
  bool listen(std::shared_ptr<LiveStream> stream, std::function<void()> wake);
  void leave(const LiveStream* stream);
  std::size_t streams() const;

  /// Until `stop`; the rest of the queue is then answered with 503.
  void run();
  void stop();

 private:
  struct Question {
    std::string name;
    QueryString query;
    Done done;
  };
  struct Listener {
    std::shared_ptr<LiveStream> stream;
    std::function<void()> wake;
  };
  struct Remembered {
    Reply reply;
    std::optional<Timestamp> written;
    Timestamp asked{};
  };

  Reply answer(const Question& question);
  Reply remembered_answer(const Question& question, const ApiContext& context);
  bool open();
  void tick();
  void send_columns(Timestamp now);
  void send_to_all(const std::string& event);

  Options options_;
  mutable std::mutex mutex_;
  std::condition_variable something_;
  std::deque<Question> questions_;
  std::list<Listener> listeners_;
  bool stopping_ = false;
  // Used by the worker's thread only:
  std::unique_ptr<Store> store_;
  std::string store_fault_;
  std::map<std::string, Remembered> memory_;
  std::size_t remembered_bytes_ = 0;
  std::optional<Timestamp> written_;
  Timestamp last_event_{};
};

}  // namespace sojourn::web
