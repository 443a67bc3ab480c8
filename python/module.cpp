// import sojourn._sojourn: the library for Python.  sojourn/__init__.py is the friendly interface.

#include <pybind11/functional.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <sojourn/sojourn.h>

#include <limits>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

namespace py = pybind11;
using namespace py::literals;

namespace {

// Python reports errors by exceptions; they are thrown here.
template <class T>
T value_or_raise(sojourn::Result<T> result) {
  if (!result) throw py::value_error(result.error());
  return std::move(*result);
}

void raise_if_failed(const sojourn::Result<void>& result) {
  if (!result) throw std::runtime_error(result.error());
}

/// A measurement and the samples it has returned so far.
struct Measurement {
  Measurement(const sojourn::RoundTripOptions& options, bool keep_samples)
      : trips(value_or_raise(sojourn::RoundTrips::create(options, consumer(keep_samples)))) {}

  sojourn::RoundTrips::Consumer consumer(bool keep) {
    if (!keep) return {};
    return [kept = samples](std::span<const sojourn::Sample> batch) {
      kept->insert(kept->end(), batch.begin(), batch.end());
    };
  }

  std::shared_ptr<std::vector<sojourn::Sample>> samples =
      std::make_shared<std::vector<sojourn::Sample>>();
  sojourn::RoundTrips trips;
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
  throw py::value_error("there is no kind '" + name + "'");
}

sojourn::Leg leg_named(const std::string& name) {
  for (int i = 0; i <= static_cast<int>(sojourn::Leg::headline); ++i)
    if (sojourn::name_of(static_cast<sojourn::Leg>(i)) == name) return static_cast<sojourn::Leg>(i);
  throw py::value_error("there is no leg '" + name + "'");
}

py::object interval_tuple(const sojourn::Distribution& delays, double q, double confidence) {
  const auto found = delays.interval(q, confidence);
  if (!found) return py::none();
  const auto side = [](std::int64_t ns, bool bounded) {
    return bounded ? py::object{py::int_(ns)} : py::object{py::none()};
  };
  return py::make_tuple(side(found->low_ns, found->bounded_below),
                        side(found->high_ns, found->bounded_above));
}

py::array_t<double> cdf_array(const sojourn::Distribution& delays) {
  const auto points = delays.cdf();
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

py::dict requests_dict(const sojourn::RoundTrips& trips, const std::string& kind) {
  const auto counts = trips.requests(kind_named(kind));
  return py::dict("requests"_a = counts.requests, "ambiguous"_a = counts.ambiguous,
                  "unanswered"_a = counts.unanswered);
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
      .def("quantile", &sojourn::Distribution::quantile_ns, "q"_a)
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

  // The interpreter's lock is released during long calls of the library.
  const auto unlocked = py::call_guard<py::gil_scoped_release>();
  py::class_<Measurement>(module, "Measurement")
      .def(py::init<const RoundTripOptions&, bool>())
      .def(
          "read",
          [](Measurement& self, const std::vector<std::string>& paths) {
            const auto result = self.trips.read(paths);
            const py::gil_scoped_acquire lock;
            raise_if_failed(result);
          },
          unlocked)
      .def(
          "listen",
          [](Measurement& self, const std::string& interface, std::int64_t duration_ns) {
            const auto result = self.trips.listen(interface, duration_ns);
            const py::gil_scoped_acquire lock;
            raise_if_failed(result);
          },
          unlocked)
      .def("stop", [](Measurement& self) { self.trips.stop(); })
      .def("take_samples",
           [](Measurement& self) { return as_array(std::exchange(*self.samples, {})); })
      .def("distribution",
           [](const Measurement& self, const std::string& kind, const std::string& leg) {
             return self.trips.distribution(kind_named(kind), leg_named(leg));
           })
      .def("groups",
           [](const Measurement& self, std::size_t most) {
             py::list rows;
             for (const auto& group : self.trips.groups(most))
               rows.append(py::make_tuple(group.label, std::string{sojourn::name_of(group.kind)},
                                          std::string{sojourn::name_of(group.leg)},
                                          group.distribution));
             return rows;
           })
      .def("requests", [](const Measurement& self,
                          const std::string& kind) { return requests_dict(self.trips, kind); })
      .def("skipped",
           [](const Measurement& self) {
             py::dict counts;
             for (const auto& [name, count] : self.trips.skipped()) counts[name.c_str()] = count;
             return counts;
           })
      .def("warnings", [](const Measurement& self) { return self.trips.warnings(); })
      .def("is_full", [](const Measurement& self) { return self.trips.is_full(); })
      .def("has_ended", [](const Measurement& self) { return self.trips.has_ended(); })
      .def("packets", [](const Measurement& self) { return self.trips.packets(); })
      .def("memory_bytes", [](const Measurement& self) { return self.trips.memory_bytes(); });

  module.attr("METHODS") = py::tuple(py::cast(sojourn::TwoPoints::methods()));
  py::class_<sojourn::TwoPoints>(module, "TwoPoints")
      .def(py::init(&two_points))
      .def(
          "read",
          [](sojourn::TwoPoints& self, const std::string& first, const std::string& last) {
            const auto result = self.read(first, last);
            const py::gil_scoped_acquire lock;
            raise_if_failed(result);
          },
          unlocked)
      .def("stop", &sojourn::TwoPoints::stop)
      .def("flows", &flow_array)
      .def("delays", &sojourn::TwoPoints::delays)
      .def("sent", &sojourn::TwoPoints::sent)
      .def("lost", &sojourn::TwoPoints::lost)
      .def("counters",
           [](const sojourn::TwoPoints& self) {
             py::dict counts;
             for (const auto& [name, count] : self.counters()) counts[name.c_str()] = count;
             return counts;
           })
      .def("warnings", &sojourn::TwoPoints::warnings);
}
