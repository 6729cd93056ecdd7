// SPDX-License-Identifier: MIT
// How fast does one thread do attention, norms and activations, per level?
//
//   bench_kernel_attention [level]
//
// Prints the least of many repetitions, in processor time of this thread (other work on the machine only slows down),
// and for attention billions of fused multiply-adds a second: 2 * head width a query, head and visible position. Every
// attention result is first compared with the reference level, bit for bit.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <random>
#include <string_view>
#include <vector>

#include "base/half.hpp"
#include "kernels/kernels.hpp"

using namespace loquat;
using kernels::Attention;
using kernels::KernelTable;
using kernels::kPagePositions;

namespace {

struct Shape {
  const char* what;
  std::size_t kv_heads, heads_per_kv_head, head_width;
  std::size_t first_position, n;
};

constexpr Shape kShapes[] = {
    {"SmolLM2-135M prefill 512", 3, 3, 64, 0, 512},   {"SmolLM2-135M prefill 2048", 3, 3, 64, 0, 2048},
    {"SmolLM2-135M decode at 512", 3, 3, 64, 512, 1}, {"SmolLM2-135M decode at 2048", 3, 3, 64, 2048, 1},
    {"Qwen3-0.6B prefill 512", 8, 2, 128, 0, 512},    {"Qwen3-0.6B decode at 2048", 8, 2, 128, 2048, 1},
    {"Llama-3.2-1B prefill 512", 8, 4, 64, 0, 512},   {"Llama-3.2-1B decode at 2048", 8, 4, 64, 2048, 1},
};

double seconds() {
#if defined(CLOCK_THREAD_CPUTIME_ID)
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
#else
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
#endif
}

/// Least seconds of one call, over at least 5 calls and 0.3 s.
template <class Action>
double least_seconds(const Action& action) {
  double least = 1e9;
  const double end = seconds() + 0.3;
  for (int i = 0; i < 5 || seconds() < end; ++i) {
    const double start = seconds();
    action();
    least = std::min(least, seconds() - start);
  }
  return least;
}

std::vector<float> random_values(std::size_t n) {
  std::mt19937 random(7);
  std::normal_distribution<float> normal;
  std::vector<float> values(n);
  for (float& value : values) value = normal(random);
  return values;
}

class Problem {
 public:
  explicit Problem(const Shape& shape)
      : shape_(shape), row_(shape.kv_heads * shape.heads_per_kv_head * shape.head_width) {
    const std::size_t head_values = shape.head_width * kPagePositions;
    const std::vector<float> values = random_values(2 * shape.kv_heads * head_values);
    std::vector<std::uint16_t> page(values.size());
    for (std::size_t i = 0; i < page.size(); ++i) page[i] = float_to_half(values[i]);
    pages_.assign((shape.first_position + shape.n + kPagePositions - 1) / kPagePositions, page);
    for (const auto& each : pages_) page_data_.push_back(reinterpret_cast<const std::byte*>(each.data()));
    q_ = random_values(shape.n * row_);
  }

  std::vector<float> run(const KernelTable& table, std::size_t n) {
    std::vector<float> out(n * row_);
    attend(table, n, out.data());
    return out;
  }

  void attend(const KernelTable& table, std::size_t n, float* out) {
    Attention attention;
    attention.q = q_.data();
    attention.q_stride = row_;
    attention.out = out;
    attention.out_stride = row_;
    attention.pages = page_data_.data();
    attention.v_offset = shape_.kv_heads * shape_.head_width * kPagePositions * 2;
    attention.heads = shape_.kv_heads * shape_.heads_per_kv_head;
    attention.kv_heads = shape_.kv_heads;
    attention.head_width = shape_.head_width;
    attention.first_position = shape_.first_position;
    attention.n = n;
    attention.scale = 0.125f;
    scratch_.resize(table.attention_scratch_bytes(shape_.head_width, shape_.heads_per_kv_head) + 64);
    const auto address = reinterpret_cast<std::uintptr_t>(scratch_.data());
    std::byte* scratch = scratch_.data() + (64 - address % 64);
    for (std::size_t head = 0; head < shape_.kv_heads; ++head) {
      for (std::size_t tile = 0; tile * table.attention_tile < n; ++tile) table.attend(attention, head, tile, scratch);
    }
  }

  double multiply_adds() const {
    double pairs = 0;
    for (std::size_t i = 0; i < shape_.n; ++i) pairs += static_cast<double>(shape_.first_position + i + 1);
    return pairs * 2 * static_cast<double>(row_);
  }

 private:
  Shape shape_;
  std::size_t row_;
  std::vector<std::vector<std::uint16_t>> pages_;
  std::vector<const std::byte*> page_data_;
  std::vector<float> q_;
  std::vector<std::byte> scratch_;
};

bool run_attention(const KernelTable& table, const Shape& shape) {
  Problem problem(shape);
  const std::size_t checked = std::min<std::size_t>(shape.n, 70);
  const std::vector<float> want = problem.run(*kernels::find_kernels(Level::reference), checked);
  std::vector<float> out = problem.run(table, shape.n);
  if (std::memcmp(out.data(), want.data(), want.size() * sizeof(float)) != 0) {
    std::printf("%s: wrong result\n", shape.what);
    return false;
  }
  const double time = least_seconds([&] { problem.attend(table, shape.n, out.data()); });
  std::printf("%-11s %-28s %9.3f ms a layer  %6.1f GFMA/s\n", to_string(table.level), shape.what, time * 1e3,
              problem.multiply_adds() / time * 1e-9);
  return true;
}

void run_rows(const KernelTable& table) {
  std::vector<float> x = random_values(1536);
  const std::vector<float> w = random_values(1536);
  std::vector<float> y(1536);
  std::vector<std::uint16_t> halves(1536);
  const auto report = [&](const char* what, double time) {
    std::printf("%-11s %-28s %9.0f ns\n", to_string(table.level), what, time * 1e9 / 100);
  };
  const auto repeat = [](const auto& action) {
    return least_seconds([&] {
      for (int i = 0; i < 100; ++i) action();
    });
  };
  report("rms_norm, 576 values", repeat([&] { table.rms_norm(x.data(), w.data(), 1e-5f, y.data(), 576); }));
  report("silu_multiply + copy, 1536", repeat([&] {
           std::memcpy(y.data(), x.data(), x.size() * sizeof(float));  // in place: it would run into zeros otherwise
           table.silu_multiply(y.data(), w.data(), 1536);
         }));
  report("add, 576 values", repeat([&] { table.add(y.data(), w.data(), 576); }));
  const std::vector<float> cos(32, 0.6f);
  const std::vector<float> sin(32, 0.8f);
  for (const auto layout : {kernels::RopeLayout::neighbours, kernels::RopeLayout::halves}) {
    report(layout == kernels::RopeLayout::halves ? "rope halves, 9 heads of 64" : "rope neighbours, 9 heads of 64",
           repeat([&] { table.rope(x.data(), 9, 64, 64, layout, cos.data(), sin.data()); }));
  }
  report("to_half, 1536 values", repeat([&] { table.to_half(w.data(), halves.data(), 1536); }));
  report("to_float, 1536 values", repeat([&] { table.to_float(halves.data(), y.data(), 1536); }));
}

}  // namespace

int main(int argc, char** argv) {
  for (const LevelInfo& info : levels()) {
    const bool is_wanted = argc > 1 ? std::string_view(argv[1]) == info.name : info.level != Level::reference;
    if (!info.is_available || !is_wanted) continue;
    for (const Shape& shape : kShapes) {
      if (!run_attention(*kernels::find_kernels(info.level), shape)) return EXIT_FAILURE;
    }
    run_rows(*kernels::find_kernels(info.level));
  }
}
