#include "capture/files/open.h"

#include <sys/stat.h>

#include "capture/files/byte_stream.h"
#include "capture/files/file_source.h"
#include "capture/files/mapped_file.h"
#include "capture/merged_source.h"

namespace sojourn {

Result<std::unique_ptr<Source>> open_capture(const std::string& path,
                                             std::shared_ptr<NameTable> interfaces,
                                             const std::atomic<bool>* stop) {
  const bool standard_input = path == "-";
  const std::string name = standard_input ? "standard input" : path;
  auto file =
      standard_input ? Result<UniqueFd>{UniqueFd{::dup(STDIN_FILENO)}} : UniqueFd::open(path);
  if (!file) return std::unexpected(file.error().while_doing("cannot open " + path));
  struct stat about{};
  if (::fstat(file->get(), &about) != 0)
    return failure("cannot open " + path + ": " + std::strerror(errno));
  if (S_ISDIR(about.st_mode)) return failure(path + ": is a directory, not a capture");

  // "sojourn rtt - < FILE" is a file too, unless a part of it has been read before.
  const bool whole = S_ISREG(about.st_mode) && ::lseek(file->get(), 0, SEEK_CUR) == 0;
  if (!whole || about.st_size == 0)
    return FileSource::open(buffered(stream_from(std::move(*file))), name, std::move(interfaces),
                            stop);
  auto mapping = Mapping::open(*file, static_cast<std::size_t>(about.st_size));
  if (!mapping) return std::unexpected(mapping.error().while_doing("cannot map " + path));
  return FileSource::open(std::make_unique<MappedInput>(std::move(*mapping)), name,
                          std::move(interfaces));
}

Result<std::unique_ptr<Source>> open_captures(std::span<const std::string> paths,
                                              std::shared_ptr<NameTable> interfaces,
                                              const std::atomic<bool>* stop) {
  if (paths.empty()) return failure("no capture given");
  if (paths.size() == 1) return open_capture(paths.front(), std::move(interfaces), stop);
  std::vector<std::unique_ptr<Source>> sources;
  for (const std::string& path : paths) {
    auto source = open_capture(path, interfaces, stop);
    if (!source) return source;
    sources.push_back(std::move(*source));
  }
  return std::make_unique<MergedSource>(std::move(sources));
}

Result<std::unique_ptr<Source>> open_memory(std::span<const std::byte> bytes,
                                            const std::string& name, std::size_t chunk) {
  // A buffer no larger than needed, so that tests see it grow.
  if (chunk != 0) return FileSource::open(buffered(stream_from(bytes, chunk), chunk), name);
  return FileSource::open(std::make_unique<MemoryInput>(bytes), name);
}

}  // namespace sojourn
