#include "capture/files/file_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "capture/files/byte_stream.h"
#include "capture/files/pcap_decoder.h"
#include "capture/files/pcapng_decoder.h"

namespace sojourn {
namespace {

bool begins_with(Window window, std::string_view magic) {
  return window.size() >= magic.size() &&
         std::memcmp(window.begin, magic.data(), magic.size()) == 0;
}

/// Waits until the window holds `size` bytes, the stream ends, or the caller should stop: a signal
/// says so only to a caller that has no flag for it.
Result<Window> at_least(ByteInput& input, std::size_t size, const std::atomic<bool>* stop) {
  for (;;) {
    const Window window = input.window();
    if (window.size() >= size || window.last) return window;
    const bool signal = input.refill(size) == ByteInput::Refill::interrupted;
    if (stop != nullptr ? stop->load(std::memory_order_relaxed) : signal)
      return failure("interrupted");
  }
}

struct ForeignFormat {
  std::string_view magic;
  std::string_view advice;
};
constexpr std::array<ForeignFormat, 3> foreign_formats = {{
    {"\xfd"
     "7zXZ",
     "compressed with xz, which is not read here; unpack it first (xz -d)"},
    {"BZh", "compressed with bzip2, which is not read here; unpack it first (bzip2 -d)"},
    {"\x04\x22\x4d\x18", "compressed with lz4, which is not read here; unpack it first (lz4 -d)"},
}};

std::string not_a_capture(Window window) {
  for (const auto& [magic, advice] : foreign_formats)
    if (begins_with(window, magic)) return std::string{advice};
  std::string found;
  for (const std::byte byte : window.bytes().first(std::min<std::size_t>(window.size(), 4)))
    found += fmt::format(" {:02x}", static_cast<unsigned>(byte));
  return "not a pcap or pcapng capture: begins with" + found;
}

}  // namespace

Result<std::unique_ptr<Source>> FileSource::open(std::unique_ptr<ByteInput> input,
                                                 const std::string& name,
                                                 std::shared_ptr<NameTable> interfaces,
                                                 const std::atomic<bool>* stop) {
  const auto refused = [&](const std::string& why) { return failure(name + ": " + why); };
  auto window = at_least(*input, 4, stop);
  if (!window) return refused(window.error().message);

  if (begins_with(*window, "\x1f\x8b"))
    input = buffered(gzip_stream(std::move(input)));
  else if (begins_with(*window, "\x28\xb5\x2f\xfd"))
    input = buffered(zstd_stream(std::move(input)));
  window = at_least(*input, 4, stop);
  if (!window) return refused(window.error().message);
  if (window->size() < PcapngDecoder::section_header_size && !input->trouble().empty())
    return refused(input->trouble());
  if (window->size() == 0) return refused("is empty");
  if (window->size() < 4) return refused(not_a_capture(*window));

  auto log = std::make_unique<CaptureLog>();
  log->name = name;
  log->interfaces = std::move(interfaces);
  Result<std::unique_ptr<Decoder>> decoder = failure("");
  if (is_pcap(window->begin)) {
    window = at_least(*input, pcap_header_size, stop);
    if (!window) return refused(window.error().message);
    decoder = make_pcap_decoder(window->bytes(), *log);
    if (decoder) input->consume(pcap_header_size);
  } else if (is_pcapng(window->begin)) {
    window = at_least(*input, PcapngDecoder::section_header_size, stop);
    if (!window) return refused(window.error().message);
    decoder = PcapngDecoder::make(window->bytes(), *log);
  } else {
    return refused(not_a_capture(*window));
  }
  if (!decoder) return refused(decoder.error().message);
  return std::unique_ptr<Source>{
      new FileSource{std::move(input), std::move(log), std::move(*decoder)}};
}

Source::Filled FileSource::next(std::span<Packet> batch) {
  while (!ended_ && !batch.empty()) {
    const auto step = decoder_->decode(input_->window(), batch);
    input_->consume(step.consumed);
    if (step.ended) {
      ended_ = true;
      if (!input_->trouble().empty()) {
        log_->counters.cut_files = 1;
        log_->warn(input_->trouble());
      }
    }
    if (step.count > 0) return {step.count, ended_, step.in_order};
    // The buffer may move only now, when the caller holds no packets in it.
    if (!ended_ && input_->refill(step.wanted) != ByteInput::Refill::changed) return {0, false};
  }
  return {0, ended_};
}

}  // namespace sojourn
