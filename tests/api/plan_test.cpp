// SPDX-License-Identifier: MIT
// plan() against what loading and sessions then hold.
#include <loquat/plan.hpp>

#include <array>
#include <cmath>
#include <string>

#include "support/catch.hpp"
#include "support/fail_nth_allocator.hpp"
#include "support/temporary_folder.hpp"
#include "support/toy_model.hpp"

namespace loquat_test {

namespace {

using loquat::ErrorCode;
using loquat::PlanOptions;

struct ToyFile {
  explicit ToyFile(const ToyModelOptions& options) : path(folder.write("toy.gguf", make_toy_model(options).bytes)) {}
  TemporaryFolder folder;
  std::string path;
};

double share_off(std::uint64_t planned, std::uint64_t used) {
  return std::abs(static_cast<double>(planned) - static_cast<double>(used)) / static_cast<double>(used);
}

struct Case {
  std::uint32_t context;
  std::uint32_t chunk;
  std::uint32_t threads;
};

}  // namespace

TEST_CASE("what a model and its sessions hold is within 5 percent of the plan (M2)") {
  for (const auto type : {loquat::TensorType::q4_0, loquat::TensorType::f32, loquat::TensorType::iq4_nl}) {
    const ToyFile file({.layers = 4, .width = 128, .head_width = 32, .ffn_width = 256, .type = type});
    for (const Case& c : {Case{512, 256, 2}, Case{64, 7, 1}, Case{100, 300, 3}}) {
      INFO("context " << c.context << ", chunk " << c.chunk << ", threads " << c.threads);
      const auto plan =
          loquat::plan(file.path, {.context = c.context, .sessions = 2, .chunk = c.chunk, .threads = c.threads});
      REQUIRE(plan);
      FailNthAllocator allocator;
      const auto model =
          loquat::Model::load(file.path, {.host = {.allocator = &allocator}, .threads = {.count = c.threads}}).value();
      CHECK(share_off(plan->weights + plan->tokenizer + plan->metadata, model.memory()) < 0.05);
      CHECK(plan->weights == model.info().weight_bytes);
      const auto a = loquat::Session::create(model, {.context = c.context, .chunk = c.chunk});
      const auto b = loquat::Session::create(model, {.context = c.context, .chunk = c.chunk});
      REQUIRE((a && b));
      CHECK(share_off(plan->cache_per_session + plan->scratch_per_session, a->memory()) < 0.05);
      CHECK(share_off(plan->total(), allocator.live_bytes()) < 0.05);
      CHECK(share_off(plan->total(), allocator.peak_bytes()) < 0.05);
    }
  }
}

TEST_CASE("the plan knows layouts, cache types and numbers of sessions") {
  const ToyFile file({.type = loquat::TensorType::q4_0});
  const auto plan_of = [&](const PlanOptions& options) { return loquat::plan(file.path, options).value(); };
  const loquat::Plan base = plan_of({.context = 512, .threads = 2});
  CHECK(plan_of({.context = 512, .threads = 2, .layout = loquat::WeightLayout::file}).weights <= base.weights);
  CHECK(plan_of({.context = 512, .threads = 2, .cache_type = loquat::CacheType::f32}).cache_per_session ==
        2 * base.cache_per_session);
  CHECK(plan_of({.context = 256, .threads = 2}).cache_per_session * 2 == base.cache_per_session);
  CHECK(plan_of({.context = 512, .threads = 4}).scratch_per_session > base.scratch_per_session);
  const loquat::Plan four = plan_of({.context = 512, .sessions = 4, .threads = 2});
  CHECK(four.total() - base.total() == 3 * (base.cache_per_session + base.scratch_per_session));
}

TEST_CASE("the plan refuses options that a session would refuse, and files that loading would refuse (A5)") {
  const ToyFile file({});
  const auto code_of = [&](const PlanOptions& options) { return loquat::plan(file.path, options).code(); };
  CHECK(code_of({.context = 512}) == ErrorCode::none);
  CHECK(code_of({.context = 1}) == ErrorCode::invalid_argument);
  CHECK(code_of({.context = 513}) == ErrorCode::invalid_argument);
  CHECK(code_of({.context = 512, .chunk = 0}) == ErrorCode::invalid_argument);
  CHECK(code_of({.context = 512, .chunk = 4097}) == ErrorCode::invalid_argument);
  CHECK(code_of({.context = 512, .threads = 1025}) == ErrorCode::invalid_argument);
  CHECK(code_of({.context = 512, .cache_type = static_cast<loquat::CacheType>(9)}) == ErrorCode::invalid_argument);
  CHECK(loquat::plan("nowhere.gguf").code() == ErrorCode::io);
}

}  // namespace loquat_test
