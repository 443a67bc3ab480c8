#pragma once
// Captures by name.  The format is detected by the content: pcap or pcapng, plain, gzip or zstd.

#include <atomic>
#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "capture/source.h"
#include "naming/name_table.h"

namespace sojourn {

/// Opens a capture file; "-" is standard input.  An error is one line that begins with the name.
///
/// A regular file is mapped and its packets are not copied.  Pipes and compressed captures go
/// through a buffer of half a MiB; only a pcapng block that is larger makes it grow, to 16 MiB at
/// most.  zstd may also need its window, 2 GiB if compressed by `zstd --long=31`.
/// With `interfaces`, the packets of a pcapng file carry their interface.
/// A pipe is waited for until its header is complete.  With `stop` that ends in an error when it
/// turns true; without, when a signal is handled.
Result<std::unique_ptr<Source>> open_capture(const std::string& path,
                                             std::shared_ptr<NameTable> interfaces = {},
                                             const std::atomic<bool>* stop = nullptr);

/// Several captures as one, in the order of time.  For equal times, packets of the earlier path
/// come first.
Result<std::unique_ptr<Source>> open_captures(std::span<const std::string> paths,
                                              std::shared_ptr<NameTable> interfaces = {},
                                              const std::atomic<bool>* stop = nullptr);

/// A capture that is already in memory and stays there.  With a `chunk` it is read like a pipe that
/// delivers that many bytes at a time.
Result<std::unique_ptr<Source>> open_memory(std::span<const std::byte> bytes,
                                            const std::string& name, std::size_t chunk = 0);

}  // namespace sojourn
