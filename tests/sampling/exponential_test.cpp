// SPDX-License-Identifier: MIT
#include "sampling/exponential.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include "sampling/stages.hpp"
#include "support/catch.hpp"

using namespace loquat;

TEST_CASE("the vocabulary exponential stays within its bound") {
  double worst = 0;
  for (int i = 0; i <= 870000; ++i) {
    const float x = -static_cast<float>(i) * 1e-4f;
    const double want = std::exp(static_cast<double>(x));
    worst = std::max(worst, std::abs(static_cast<double>(sampling::exponential(x)) - want) / want);
  }
  CAPTURE(worst);
  CHECK(worst < 0x1p-21);
  CHECK(sampling::exponential(0.0f) == 1.0f);
  CHECK(sampling::exponential(-0.0f) == 1.0f);
  CHECK(sampling::exponential(-88.0f) == 0.0f);
  CHECK(sampling::exponential(-std::numeric_limits<float>::infinity()) == 0.0f);
}

TEST_CASE("the log-probability is that of a softmax over the finite logits") {
  std::vector<float> logits;
  for (int i = 0; i < 1003; ++i) logits.push_back(10 * std::sin(static_cast<float>(i)));
  logits[17] = std::nanf("");
  logits[18] = std::numeric_limits<float>::infinity();
  logits[19] = -std::numeric_limits<float>::infinity();
  double sum = 0;
  for (float x : logits) sum += std::isfinite(x) ? std::exp(static_cast<double>(x)) : 0;
  for (Token token : {0, 5, 1002}) {
    const double want = static_cast<double>(logits[static_cast<std::size_t>(token)]) - std::log(sum);
    CHECK(std::abs(static_cast<double>(sampling::log_probability(logits, token)) - want) < 4e-6);
  }
}
