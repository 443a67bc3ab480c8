#include "dataplane/reference/reference_sender.h"

#ifdef SOJOURN_WITH_KERNEL

#include <bpf/libbpf.h>
#include <reference_send.skel.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "dataplane/reference/bpf_object.h"
#include "dataplane/reference/tai_clock.h"

namespace sojourn {
namespace {

struct FreeWakes {
  void operator()(ring_buffer* ring) const { ring_buffer__free(ring); }
};

}  // namespace

struct ReferenceSender::State {
  BpfObject object;
  MappedMap sending;
  std::unique_ptr<ring_buffer, FreeWakes> wakes;

  rp_sending& both() const { return *static_cast<rp_sending*>(sending.get()); }
};

ReferenceSender::ReferenceSender(std::unique_ptr<State> state) : state_(std::move(state)) {}
ReferenceSender::ReferenceSender(ReferenceSender&&) noexcept = default;
ReferenceSender& ReferenceSender::operator=(ReferenceSender&&) noexcept = default;
ReferenceSender::~ReferenceSender() = default;

Result<ReferenceSender> ReferenceSender::load(std::uint16_t sender) {
  std::size_t size = 0;
  const void* const elf = reference_send__elf_bytes(&size);
  auto object = BpfObject::open(elf, size);
  if (!object) return std::unexpected(object.error());
  rp_config config{};
  config.own_sender = sender;
  object->set_constants(&config, sizeof config);
  if (auto loaded = object->load(); !loaded) return std::unexpected(loaded.error());
  auto state = std::make_unique<State>();
  state->object = std::move(*object);
  state->sending = state->object.memory(".bss", sizeof(rp_sending));
  state->wakes.reset(ring_buffer__new(
      state->object.map("wake"), [](void*, void*, std::size_t) { return 0; }, nullptr, nullptr));
  if (!state->sending.get() || !state->wakes)
    return failure(std::string{"cannot map the program's memory: "} + std::strerror(errno));
  ReferenceSender loaded{std::move(state)};
  loaded.follow_clock();
  return loaded;
}

int ReferenceSender::descriptor() const { return state_->object.program("reference_tx"); }
int ReferenceSender::wake_descriptor() const { return ring_buffer__epoll_fd(state_->wakes.get()); }
void ReferenceSender::hear_wake() { ring_buffer__consume(state_->wakes.get()); }

void ReferenceSender::wake_after(std::uint64_t packets) {
  __atomic_store_n(&state_->both().wake_after, packets, __ATOMIC_RELAXED);
}
std::uint64_t ReferenceSender::begin_gap() {
  return __atomic_exchange_n(&state_->both().since, 0, __ATOMIC_RELAXED);
}
void ReferenceSender::follow_clock() {
  __atomic_store_n(&state_->both().clock_offset_ns, to_ns(tai_to_captures()), __ATOMIC_RELAXED);
}
rp_sending ReferenceSender::counters() const { return state_->both(); }

}  // namespace sojourn

#else

#include <string>

namespace sojourn {

struct ReferenceSender::State {};
ReferenceSender::ReferenceSender(std::unique_ptr<State> state) : state_(std::move(state)) {}
ReferenceSender::ReferenceSender(ReferenceSender&&) noexcept = default;
ReferenceSender& ReferenceSender::operator=(ReferenceSender&&) noexcept = default;
ReferenceSender::~ReferenceSender() = default;
Result<ReferenceSender> ReferenceSender::load(std::uint16_t) {
  return failure(std::string{"built without the kernel engine: "} + SOJOURN_KERNEL_MISSING);
}
// Nobody can have loaded one, so these are never reached.
int ReferenceSender::descriptor() const { return -1; }
int ReferenceSender::wake_descriptor() const { return -1; }
void ReferenceSender::hear_wake() {}
void ReferenceSender::wake_after(std::uint64_t) {}
std::uint64_t ReferenceSender::begin_gap() { return 0; }
void ReferenceSender::follow_clock() {}
rp_sending ReferenceSender::counters() const { return {}; }

}  // namespace sojourn

#endif
