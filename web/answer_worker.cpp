#include "web/answer_worker.h"

#include <algorithm>
#include <chrono>

namespace sojourn::web {
namespace {

using namespace std::chrono_literals;

constexpr Duration remembered_for = 10s;
constexpr Duration heartbeat = 15s;
constexpr std::size_t most_remembered_bytes = std::size_t{32} << 20;

bool is_costly(std::string_view name) {
  return name == "heatmap" || name == "groups" || name == "compare" || name == "path";
}

}  // namespace

bool AnswerWorker::ask(std::string name, QueryString query, Done done) {
  const std::lock_guard lock{mutex_};
  if (stopping_ || questions_.size() >= options_.most_waiting) return false;
  questions_.push_back({std::move(name), std::move(query), std::move(done)});
  something_.notify_one();
  return true;
}

bool AnswerWorker::listen(std::shared_ptr<LiveStream> stream, std::function<void()> wake) {
  const std::lock_guard lock{mutex_};
  if (stopping_ || listeners_.size() >= options_.most_streams) return false;
  listeners_.push_back({std::move(stream), std::move(wake)});
  return true;
}

void AnswerWorker::leave(const LiveStream* stream) {
  const std::lock_guard lock{mutex_};
  std::erase_if(listeners_, [&](const Listener& each) { return each.stream.get() == stream; });
}

std::size_t AnswerWorker::streams() const {
  const std::lock_guard lock{mutex_};
  return listeners_.size();
}

void AnswerWorker::stop() {
  const std::lock_guard lock{mutex_};
  stopping_ = true;
  something_.notify_one();
}

void AnswerWorker::run() {
  auto next_tick = std::chrono::steady_clock::now() + 1s;
  std::unique_lock lock{mutex_};
  while (!stopping_) {
    something_.wait_until(lock, next_tick, [&] { return stopping_ || !questions_.empty(); });
    if (!stopping_ && !questions_.empty()) {
      const Question question = std::move(questions_.front());
      questions_.pop_front();
      lock.unlock();
      question.done(answer(question));
      lock.lock();
    }
    if (std::chrono::steady_clock::now() < next_tick) continue;
    next_tick = std::chrono::steady_clock::now() + 1s;
    lock.unlock();
    tick();
    options_.every_second();
    lock.lock();
  }
  const auto left = std::move(questions_);
  const auto listeners = std::move(listeners_);
  lock.unlock();
  for (const Question& question : left) question.done(Reply::trouble(503, "the server ends"));
  for (const Listener& listener : listeners) listener.stream->end(listener.wake);
}

bool AnswerWorker::open() {
  if (store_) return true;
  auto store = open_store_for_reading(options_.store);
  if (!store) {
    store_fault_ = store.error().message;
    return false;
  }
  store_ = std::move(*store);
  return true;
}

Reply AnswerWorker::answer(const Question& question) {
  if (!open()) return Reply::trouble(503, "the store cannot be opened: " + store_fault_);
  const ApiContext context = options_.context();
  return is_costly(question.name) ? remembered_answer(question, context)
                                  : answer_api(*store_, question.name, question.query, context);
}

/// Fifty pages with the same view query the store once.
Reply AnswerWorker::remembered_answer(const Question& question, const ApiContext& context) {
  const std::string key = question.name + '\x1d' + question.query.canonical();
  const auto age = store_->age();
  const std::optional<Timestamp> written = age ? age->written : std::nullopt;
  if (const auto known = memory_.find(key); known != memory_.end() &&
                                            known->second.written == written &&
                                            context.now - known->second.asked < remembered_for)
    return known->second.reply;
  Reply reply = answer_api(*store_, question.name, question.query, context);
  remembered_bytes_ += reply.body.size();
  if (remembered_bytes_ > most_remembered_bytes || memory_.size() > 1000) {
    memory_.clear();
    remembered_bytes_ = reply.body.size();
  }
  memory_[key] = {reply, written, context.now};
  return reply;
}

void AnswerWorker::tick() {
  const Timestamp now = options_.context().now;
  if (streams() == 0 || !open()) return;
  const auto age = store_->age();
  if (age && age->written != written_) {
    written_ = age->written;
    send_columns(now);
    last_event_ = now;
  } else if (now - last_event_ > heartbeat || now < last_event_) {
    send_to_all(": still here\n\n");  // also finds connections that are gone
    last_event_ = now;
  }
}

void AnswerWorker::send_columns(Timestamp now) {
  std::list<Listener> listeners;
  {
    const std::lock_guard lock{mutex_};
    listeners = listeners_;
  }
  std::map<std::string, std::string> events;
  for (const Listener& listener : listeners) {
    std::string& event = events[listener.stream->query().canonical()];
    if (event.empty()) {
      const auto columns = live_columns(*store_, listener.stream->query(), now);
      event = columns ? "event: column\ndata: " + *columns + "\n\n"
                      : std::string{"event: trouble\ndata: {}\n\n"};
    }
    listener.stream->give(event, listener.wake);
  }
}

void AnswerWorker::send_to_all(const std::string& event) {
  std::list<Listener> listeners;
  {
    const std::lock_guard lock{mutex_};
    listeners = listeners_;
  }
  for (const Listener& listener : listeners) listener.stream->give(event, listener.wake);
}

}  // namespace sojourn::web
