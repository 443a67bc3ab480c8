// import sojourn._sojourn: the library for Python.  sojourn/__init__.py is the friendly interface.

#include <fcntl.h>
#include <pybind11/functional.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <sojourn/sojourn.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <future>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace py = pybind11;
using namespace py::literals;

namespace {

/// Text of the library for Python.  Names of files may be any bytes.
py::str text_of(std::string_view bytes) {
  return py::reinterpret_steal<py::str>(
      PyUnicode_DecodeUTF8(bytes.data(), static_cast<py::ssize_t>(bytes.size()), "replace"));
}

py::list texts_of(const std::vector<std::string>& lines) {
  py::list texts;
  for (const std::string& line : lines) texts.append(text_of(line));
  return texts;
}

// Python reports errors by exceptions; they are thrown here.  ValueError: an argument or the input
// makes no sense.  OSError, such as FileNotFoundError: the system refused it.

[[noreturn]] void raise_value_error(std::string_view message) {
  PyErr_SetObject(PyExc_ValueError, text_of(message).ptr());
  throw py::error_already_set();
}

template <class T>
T value_or_raise(sojourn::Result<T> result) {
  if (!result) raise_value_error(result.error());
  return std::move(*result);
}

/// The system's error number, if its text ends the line; otherwise 0.
int errno_of(std::string_view message) {
  constexpr int most = 133;  // EHWPOISON, the last of Linux
  for (int number = 1; number <= most; ++number)
    if (message.ends_with(std::string{": "} + std::strerror(number))) return number;
  return 0;
}

[[noreturn]] void raise_os_error(std::string_view message) {
  if (const int number = errno_of(message); number != 0)
    // OSError with a number makes itself the class for it.
    PyErr_SetObject(PyExc_OSError, py::make_tuple(number, text_of(message)).ptr());
  else
    PyErr_SetObject(PyExc_OSError, text_of(message).ptr());
  throw py::error_already_set();
}

void raise_if_unread(const sojourn::Result<void>& result) {
  if (result) return;
  if (errno_of(result.error()) != 0) raise_os_error(result.error());
  raise_value_error(result.error());
}

void raise_if_unheard(const sojourn::Result<void>& result) {
  if (result) return;
  if (result.error().starts_with("filter ")) raise_value_error(result.error());
  raise_os_error(result.error());
}

/// How often a long call checks whether Ctrl-C was pressed.
constexpr std::chrono::milliseconds look_every{50};

/// Takes the other end of named pipes for a moment: open() of a pipe without a writer never ends.
void release_openers(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    struct stat about;
    if (::stat(path.c_str(), &about) != 0 || !S_ISFIFO(about.st_mode)) continue;
    const int end = ::open(path.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    if (end >= 0) ::close(end);
  }
}

/// Runs `read` in a thread of its own, while this one handles Python's signals: only the thread
/// that holds the interpreter's lock may run their handlers.
template <class Read, class Stop>
sojourn::Result<void> read_unless_interrupted(const std::vector<std::string>& paths, Read read,
                                              Stop stop) {
  auto reading = std::async(std::launch::async, [&read] {
    sigset_t others;
    sigfillset(&others);
    for (const int fault : {SIGBUS, SIGFPE, SIGILL, SIGSEGV}) sigdelset(&others, fault);
    pthread_sigmask(SIG_BLOCK, &others, nullptr);
    return read();
  });
  const auto ended = [&reading] {
    const py::gil_scoped_release unlocked;
    return reading.wait_for(look_every) == std::future_status::ready;
  };
  while (!ended()) {
    if (PyErr_CheckSignals() == 0) continue;
    py::error_already_set interrupted;  // holds the error while this thread waits
    stop();
    while (!ended()) release_openers(paths);
    throw interrupted;
  }
  return reading.get();
}

/// A lock that is granted in the order of requests.  Listening takes it again at once: with a plain
/// mutex another thread waits for two slices and more, with this one only for the end of the
/// current slice.
class Turns {
 public:
  void lock() {
    const std::lock_guard first_in_line{next_};
    held_.lock();
  }
  void unlock() { held_.unlock(); }

 private:
  std::mutex next_;
  std::mutex held_;
};

/// A measurement and the samples it has returned so far.
///
/// Every RoundTrips that live() yields reads from the same one, perhaps in another thread while it
/// listens.  So every use of `trips` takes a turn, after releasing the interpreter's lock.
class Measurement {
 public:
  Measurement(const sojourn::RoundTripOptions& options, bool keep_samples)
      : trips_(value_or_raise(sojourn::RoundTrips::create(options, consumer(keep_samples)))) {}

  /// What `work` returns, called without the interpreter's lock.
  template <class Work>
  auto use(Work work) {
    const py::gil_scoped_release unlocked;
    const std::lock_guard turn{turns_};
    return work(trips_);
  }

  void read(const std::vector<std::string>& paths) {
    const auto all = [&] {
      const std::lock_guard turn{turns_};
      return trips_.read(paths);
    };
    raise_if_unread(read_unless_interrupted(paths, all, [this] { trips_.stop(); }));
  }

  /// Listens in slices; between them signals are handled and other threads may read.
  void listen(const std::string& interface, std::int64_t duration_ns) {
    using Clock = std::chrono::steady_clock;
    const auto end = Clock::now() + std::chrono::nanoseconds{duration_ns};
    bool ended = false;
    for (auto now = Clock::now(); now < end && !ended; now = Clock::now()) {
      const std::chrono::nanoseconds slice = std::min<Clock::duration>(look_every, end - now);
      raise_if_unheard(use([&](sojourn::RoundTrips& trips) {
        auto heard = trips.listen(interface, slice.count());
        ended = trips.has_ended();
        return heard;
      }));
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    }
  }

  void stop() { trips_.stop(); }

  std::vector<sojourn::Sample> take_samples() {
    return use([this](sojourn::RoundTrips&) { return std::exchange(*samples_, {}); });
  }

 private:
  sojourn::RoundTrips::Consumer consumer(bool keep) {
    if (!keep) return {};
    return [kept = samples_](std::span<const sojourn::Sample> batch) {
      kept->insert(kept->end(), batch.begin(), batch.end());
    };
  }

  std::shared_ptr<std::vector<sojourn::Sample>> samples_ =
      std::make_shared<std::vector<sojourn::Sample>>();
  Turns turns_;
  sojourn::RoundTrips trips_;
};

/// An array view of `values`, which lives as long as the array does.  The vector is moved out, so
/// that later samples cannot reallocate it.
template <class T>
py::array_t<T> as_array(std::vector<T> values) {
  auto owned = std::make_unique<std::vector<T>>(std::move(values));
  T* const data = owned->data();
  const auto count = static_cast<py::ssize_t>(owned->size());
  const py::capsule owner{owned.release(),
                          [](void* held) { delete static_cast<std::vector<T>*>(held); }};
  return py::array_t<T>{count, data, owner};
}

sojourn::Kind kind_named(const std::string& name) {
  for (std::size_t i = 0; i < sojourn::kind_count; ++i)
    if (sojourn::name_of(static_cast<sojourn::Kind>(i)) == name)
      return static_cast<sojourn::Kind>(i);
  raise_value_error("there is no kind '" + name + "'");
}

sojourn::Leg leg_named(const std::string& name) {
  for (int i = 0; i <= static_cast<int>(sojourn::Leg::headline); ++i)
    if (sojourn::name_of(static_cast<sojourn::Leg>(i)) == name) return static_cast<sojourn::Leg>(i);
  raise_value_error("there is no leg '" + name + "'");
}

template <class Work>
auto without_lock(Work work) {
  const py::gil_scoped_release unlocked;
  return work();
}

void check_share(double q) {
  if (!(q >= 0 && q <= 1)) raise_value_error("a quantile is asked for by a number from 0 to 1");
}

std::optional<std::int64_t> quantile_of(const sojourn::Distribution& delays, double q) {
  check_share(q);
  return without_lock([&] { return delays.quantile_ns(q); });
}

py::object interval_tuple(const sojourn::Distribution& delays, double q, double confidence) {
  check_share(q);
  if (!(confidence > 0 && confidence < 1))
    raise_value_error("the confidence must be above 0 and below 1");
  const auto found = without_lock([&] { return delays.interval(q, confidence); });
  if (!found) return py::none();
  const auto side = [](std::int64_t ns, bool bounded) {
    return bounded ? py::object{py::int_(ns)} : py::object{py::none()};
  };
  return py::make_tuple(side(found->low_ns, found->bounded_below),
                        side(found->high_ns, found->bounded_above));
}

py::array_t<double> cdf_array(const sojourn::Distribution& delays) {
  const auto points = without_lock([&] { return delays.cdf(); });
  py::array_t<double> result{{static_cast<py::ssize_t>(points.size()), py::ssize_t{2}}};
  auto rows = result.mutable_unchecked<2>();
  for (py::ssize_t i = 0; i < rows.shape(0); ++i) {
    rows(i, 0) = static_cast<double>(points[static_cast<std::size_t>(i)].delay_ns);
    rows(i, 1) = points[static_cast<std::size_t>(i)].fraction;
  }
  return result;
}

/// A row of the array of flows.  Unknown values are NaN.
struct FlowRow {
  sojourn::Address source;
  sojourn::Address destination;
  std::uint16_t source_port;
  std::uint16_t destination_port;
  std::uint8_t protocol;
  std::uint64_t packets;
  double mean_ns, stddev_ns, margin_ns, min_ns, max_ns, lost;
};

py::array_t<FlowRow> flow_array(const sojourn::TwoPoints& points) {
  const auto number = [](const auto& value) {
    return value ? static_cast<double>(*value) : std::numeric_limits<double>::quiet_NaN();
  };
  std::vector<FlowRow> rows;
  for (const sojourn::Flow& flow : points.flows())
    rows.push_back({flow.source, flow.destination, flow.source_port, flow.destination_port,
                    flow.protocol, flow.packets, number(flow.mean_ns), number(flow.stddev_ns),
                    number(flow.margin_ns), number(flow.min_ns), number(flow.max_ns),
                    number(flow.lost)});
  return as_array(std::move(rows));
}

sojourn::TwoPoints two_points(const std::string& method, double sampling, std::int64_t window_ns,
                              std::int64_t clock_offset_ns, const std::string& filter,
                              std::uint64_t seed) {
  return value_or_raise(sojourn::TwoPoints::create({.method = method,
                                                    .sampling = sampling,
                                                    .window_ns = window_ns,
                                                    .clock_offset_ns = clock_offset_ns,
                                                    .filter = filter,
                                                    .seed = seed}));
}

py::dict requests_dict(Measurement& measurement, const std::string& name) {
  const auto kind = kind_named(name);
  const auto counts =
      measurement.use([&](sojourn::RoundTrips& trips) { return trips.requests(kind); });
  return py::dict("requests"_a = counts.requests, "ambiguous"_a = counts.ambiguous,
                  "unanswered"_a = counts.unanswered);
}

py::list group_rows(Measurement& measurement, std::size_t most) {
  py::list rows;
  for (const auto& group :
       measurement.use([&](sojourn::RoundTrips& trips) { return trips.groups(most); }))
    rows.append(py::make_tuple(text_of(group.label), std::string{sojourn::name_of(group.kind)},
                               std::string{sojourn::name_of(group.leg)}, group.distribution));
  return rows;
}

py::dict dict_of(const std::vector<sojourn::Count>& counts) {
  py::dict result;
  for (const auto& [name, count] : counts) result[name.c_str()] = count;
  return result;
}

}  // namespace

PYBIND11_MODULE(_sojourn, module) {
  module.attr("__version__") = sojourn::version();
  PYBIND11_NUMPY_DTYPE(sojourn::Address, bytes, version);
  PYBIND11_NUMPY_DTYPE(sojourn::Sample, time_ns, delay_ns, weight, requester, responder,
                       requester_port, responder_port, vlan, kind, leg);
  PYBIND11_NUMPY_DTYPE(FlowRow, source, destination, source_port, destination_port, protocol,
                       packets, mean_ns, stddev_ns, margin_ns, min_ns, max_ns, lost);

  module.def("parse_size",
             [](const std::string& text) { return value_or_raise(sojourn::parse_size(text)); });
  module.def("parse_duration_ns", [](const std::string& text) {
    return value_or_raise(sojourn::parse_duration_ns(text));
  });
  std::vector<std::string> kinds, legs;
  for (std::size_t i = 0; i < sojourn::kind_count; ++i)
    kinds.emplace_back(sojourn::name_of(static_cast<sojourn::Kind>(i)));
  for (int i = 0; i < static_cast<int>(sojourn::Leg::headline); ++i)
    legs.emplace_back(sojourn::name_of(static_cast<sojourn::Leg>(i)));
  module.attr("KINDS") = py::tuple(py::cast(kinds));
  module.attr("LEGS") = py::tuple(py::cast(legs));

  py::class_<sojourn::Distribution>(module, "Distribution")
      .def("__len__", &sojourn::Distribution::samples)
      .def_property_readonly("samples", &sojourn::Distribution::samples)
      .def_property_readonly("total_weight", &sojourn::Distribution::total_weight)
      .def_property_readonly("effective_samples", &sojourn::Distribution::effective_samples)
      .def_property_readonly("min", &sojourn::Distribution::min_ns)
      .def_property_readonly("max", &sojourn::Distribution::max_ns)
      .def_property_readonly("mean", &sojourn::Distribution::mean_ns)
      .def("quantile", &quantile_of, "q"_a)
      .def("interval", &interval_tuple, "q"_a, "confidence"_a = 0.95)
      .def("cdf", &cdf_array);

  using sojourn::RoundTripOptions;
  py::class_<RoundTripOptions>(module, "RoundTripOptions")
      .def(py::init<>())
      .def_property(
          "kinds", [](const RoundTripOptions& options) { return options.kinds.size(); },
          [](RoundTripOptions& options, const std::vector<std::string>& names) {
            options.kinds.clear();
            for (const std::string& name : names) options.kinds.push_back(kind_named(name));
          })
      .def_readwrite("table", &RoundTripOptions::table)
      .def_readwrite("memory_bytes", &RoundTripOptions::memory_bytes)
      .def_readwrite("expire_ns", &RoundTripOptions::expire_ns)
      .def_readwrite("inside", &RoundTripOptions::inside)
      .def_readwrite("group_by", &RoundTripOptions::group_by)
      .def_readwrite("most_groups", &RoundTripOptions::most_groups)
      .def_readwrite("filter", &RoundTripOptions::filter)
      .def_readwrite("keep_ambiguous", &RoundTripOptions::keep_ambiguous)
      .def_readwrite("anonymize", &RoundTripOptions::anonymize)
      .def_readwrite("threads", &RoundTripOptions::threads)
      .def_readwrite("seed", &RoundTripOptions::seed);

  using sojourn::RoundTrips;
  py::class_<Measurement>(module, "Measurement")
      .def(py::init<const RoundTripOptions&, bool>())
      .def("read", &Measurement::read)
      .def("listen", &Measurement::listen)
      .def("close", [](Measurement& self) { self.use([](RoundTrips& trips) { trips.close(); }); })
      .def("stop", &Measurement::stop)
      .def("take_samples", [](Measurement& self) { return as_array(self.take_samples()); })
      .def("distribution",
           [](Measurement& self, const std::string& kind_name, const std::string& leg_name) {
             const auto kind = kind_named(kind_name);
             const auto leg = leg_named(leg_name);
             return self.use([&](RoundTrips& trips) { return trips.distribution(kind, leg); });
           })
      .def("groups", &group_rows)
      .def("requests", &requests_dict)
      .def("skipped",
           [](Measurement& self) {
             return dict_of(self.use([](RoundTrips& trips) { return trips.skipped(); }));
           })
      .def("warnings",
           [](Measurement& self) {
             return texts_of(self.use([](RoundTrips& trips) { return trips.warnings(); }));
           })
      .def("is_full",
           [](Measurement& self) {
             return self.use([](RoundTrips& trips) { return trips.is_full(); });
           })
      .def("has_ended",
           [](Measurement& self) {
             return self.use([](RoundTrips& trips) { return trips.has_ended(); });
           })
      .def("packets",
           [](Measurement& self) {
             return self.use([](RoundTrips& trips) { return trips.packets(); });
           })
      .def("memory_bytes", [](Measurement& self) {
        return self.use([](RoundTrips& trips) { return trips.memory_bytes(); });
      });

  module.attr("METHODS") = py::tuple(py::cast(sojourn::TwoPoints::methods()));
  py::class_<sojourn::TwoPoints>(module, "TwoPoints")
      .def(py::init(&two_points))
      .def("read",
           [](sojourn::TwoPoints& self, const std::string& first, const std::string& last) {
             raise_if_unread(read_unless_interrupted(
                 {first, last}, [&] { return self.read(first, last); }, [&] { self.stop(); }));
           })
      .def("stop", &sojourn::TwoPoints::stop)
      .def("flows", &flow_array)
      .def("delays", &sojourn::TwoPoints::delays)
      .def("sent", &sojourn::TwoPoints::sent)
      .def("lost", &sojourn::TwoPoints::lost)
      .def("counters", [](const sojourn::TwoPoints& self) { return dict_of(self.counters()); })
      .def("warnings", [](const sojourn::TwoPoints& self) { return texts_of(self.warnings()); });
}
