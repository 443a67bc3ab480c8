#include "oneway/cnf/cnf_method.h"

#include "oneway/cnf/cnf_point.h"

namespace sojourn {
namespace {

class CnfMethod final : public OnewayMethod {
 public:
  CnfMethod(const OnewayOptions& options, const CnfOptions& cnf)
      : options_(options), cnf_(cnf), first_(options, cnf.cache), last_(options, cnf.cache) {}

  void first(std::span<const IpPacket> batch) override { first_.add(batch); }
  void last(std::span<const IpPacket> batch) override { last_.add(batch); }
  OnewayResult finish() override {
    first_.finish();
    last_.finish();
    OnewayResult result = cnf_result(first_.records(), last_.records(), options_, cnf_);
    result.memory_bytes += first_.cache_bytes() + last_.cache_bytes();
    return result;
  }

 private:
  OnewayOptions options_;
  CnfOptions cnf_;
  CnfPoint first_, last_;
};

}  // namespace

std::unique_ptr<OnewayMethod> make_cnf(const OnewayOptions& options, const CnfOptions& cnf) {
  return std::make_unique<CnfMethod>(options, cnf);
}

}  // namespace sojourn
