#pragma once
// `sojourn oneway` by estimate: flow records (CNF), reference packets (RLI), sketches (LDA).

#include <memory>

#include "core/result.h"
#include "oneway/cnf/cnf_method.h"
#include "oneway/method.h"

namespace CLI {
class App;
}

namespace sojourn {

struct OnewayRequest;

struct EstimateWishes {
  CnfOptions cnf;
  double capacity_bytes_a_second = 0;  ///< of the link before the last point; 0: unknown
};

void add_cnf_options(CLI::App& group, OnewayRequest& request);
void add_rli_options(CLI::App& group, OnewayRequest& request);

using MadeMethod = Result<std::unique_ptr<OnewayMethod>>;
MadeMethod make_endpoint_method(const OnewayRequest& request);
MadeMethod make_multiflow_method(const OnewayRequest& request);
MadeMethod make_hybrid_method(const OnewayRequest& request);
MadeMethod make_nearby_method(const OnewayRequest& request);
MadeMethod make_trajectory_method(const OnewayRequest& request);
MadeMethod make_rli_method(const OnewayRequest& request);
MadeMethod make_rli_left_method(const OnewayRequest& request);
MadeMethod make_rli_queue_method(const OnewayRequest& request);
MadeMethod make_lda_method(const OnewayRequest& request);

}  // namespace sojourn
