// SPDX-License-Identifier: MIT
// How fast does one thread multiply packed quantized weights, per level, type and number of columns?
//
//   bench_kernel_multiply [filter] [seconds a cell]
//
// Weights are `rows` x `k`; the decode column walks a set of matrices of 256 MiB, so that they come from memory. Prints
// multiply-accumulates a second and, for one column, bytes of weights a second; the best of the repetitions, since other
// work on the machine only slows down. Every result is first compared with the canonical dot, bit for bit.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <random>
#include <string>
#include <vector>

#include "kernels/kernels.hpp"
#include "quant/canonical.hpp"
#include "quant/packing.hpp"
#include "quant/quantize.hpp"

using namespace loquat;
using kernels::KernelTable;

namespace {

struct Shape {
  TensorType type;
  std::size_t rows;
  std::size_t k;
};

// SmolLM2-135M's matrices, then those of a 1B model.
constexpr Shape kShapes[] = {
    {TensorType::q4_0, 576, 576},   {TensorType::q4_1, 576, 576},   {TensorType::q8_0, 576, 576},
    {TensorType::q4_1, 1536, 576},  {TensorType::q8_0, 1536, 576},  {TensorType::q4_1, 576, 1536},
    {TensorType::q8_0, 576, 1536},  {TensorType::q5_0, 2048, 640},  {TensorType::q4_0, 2048, 2048},
    {TensorType::q8_0, 2048, 2048}, {TensorType::q4_k, 2048, 2048}, {TensorType::q6_k, 2048, 2048},
    {TensorType::q4_k, 2048, 8192},
};

class Aligned {
 public:
  explicit Aligned(std::size_t size)
      : p_(static_cast<std::byte*>(std::aligned_alloc(4096, (size + 4095) / 4096 * 4096))) {}
  Aligned(const Aligned&) = delete;
  ~Aligned() { std::free(p_); }
  std::byte* data() { return p_; }

 private:
  std::byte* p_;
};

/// Processor time of this thread where the system tells it: other work on the machine then counts for less.
double seconds() {
#if defined(CLOCK_THREAD_CPUTIME_ID)
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
#else
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
#endif
}

std::vector<float> random_values(std::size_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> values(n);
  for (float& value : values) value = normal(random);
  return values;
}

/// `copies` equal packed matrices, and the file's rows to check with.
struct Weights {
  Shape shape;
  std::size_t copies;
  std::size_t bytes;
  std::vector<std::byte> file;
  Aligned packed;

  Weights(const Shape& s, std::size_t n_copies)
      : shape(s),
        copies(n_copies),
        bytes(packed_bytes(s.type, s.rows, s.k)),
        file(s.rows * row_bytes(s.type, s.k)),
        packed(bytes * n_copies) {
    const std::size_t size = row_bytes(s.type, s.k);
    for (std::size_t row = 0; row < s.rows; ++row) {
      const auto values = random_values(s.k, static_cast<unsigned>(row % 7));
      quantize_row(s.type, values.data(), file.data() + row * size, s.k);
    }
    for (std::size_t row = 0; row < s.rows; row += kPanelRows) {
      pack_panel(s.type, file.data() + row * size, std::min(kPanelRows, s.rows - row), s.k,
                 packed.data() + row / kPanelRows * panel_bytes(s.type, s.k));
    }
    for (std::size_t i = 1; i < copies; ++i) std::memcpy(packed.data() + i * bytes, packed.data(), bytes);
  }
};

struct Run {
  const KernelTable& level;
  Weights& w;
  std::size_t n;
  std::vector<float> x;
  Aligned input;
  Aligned scratch;
  std::vector<float> y;

  Run(const KernelTable& table, Weights& weights, std::size_t columns)
      : level(table),
        w(weights),
        n(columns),
        x(random_values(columns * weights.shape.k, 3)),
        input(table.input_bytes(weights.shape.k, columns)),
        scratch(table.multiply_scratch_bytes(weights.shape.k, columns)),
        y(columns * weights.shape.rows) {}

  void quantize() { level.quantize_input(x.data(), w.shape.k, {input.data(), w.shape.k, n}, 0, n); }
  void multiply(std::size_t copy) {
    const kernels::Matrix matrix = {w.shape.type, true, w.packed.data() + copy * w.bytes, w.shape.rows, w.shape.k};
    const kernels::Product product = {matrix, {input.data(), w.shape.k, n}, nullptr, 0, n, y.data(), w.shape.rows};
    for (std::size_t tile = 0; tile * kernels::kTileRows < w.shape.rows; ++tile)
      level.multiply(product, tile, scratch.data());
  }
  bool is_right() {
    std::vector<ActivationBlock> blocks(w.shape.k / kActivationBlock);
    for (std::size_t column = 0; column < n; column += 1 + n / 5) {
      quantize_activations_reference(x.data() + column * w.shape.k, blocks.data(), w.shape.k);
      for (std::size_t row = 0; row < w.shape.rows; row += 13) {
        const std::byte* file = w.file.data() + row * row_bytes(w.shape.type, w.shape.k);
        const float want = dot_reference(w.shape.type, file, blocks.data(), w.shape.k);
        if (std::memcmp(&want, &y[column * w.shape.rows + row], sizeof want) != 0) return false;
      }
    }
    return true;
  }
  /// Least seconds of one product.
  double best(double budget) {
    double least = 1e9;
    const double end = seconds() + budget;
    do {
      const double start = seconds();
      for (std::size_t copy = 0; copy < w.copies; ++copy) multiply(copy);
      least = std::min(least, (seconds() - start) / static_cast<double>(w.copies));
    } while (seconds() < end);
    return least;
  }
};

bool run_cell(const KernelTable& level, Weights& w, std::size_t n, double budget) {
  Run run(level, w, n);
  run.quantize();
  run.multiply(0);
  if (!run.is_right()) {
    std::printf("%s: wrong result\n", to_string(level.level));
    return false;
  }
  const double time = run.best(budget);
  const double macs = static_cast<double>(w.shape.rows * w.shape.k * n) / time / 1e9;
  const double gigabytes = static_cast<double>(w.bytes) / time / 1e9;
  std::printf("%-10s %-5.*s %5zu x %-5zu n %-4zu %8.1f GMAC/s  %7.2f GB/s\n", to_string(level.level),
              static_cast<int>(tensor_type_info(w.shape.type).name.size()), tensor_type_info(w.shape.type).name.data(),
              w.shape.rows, w.shape.k, n, macs, gigabytes);
  std::fflush(stdout);
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string filter = argc > 1 ? argv[1] : "";
  const double budget = argc > 2 ? std::atof(argv[2]) : 0.3;
  for (const Shape& shape : kShapes) {
    for (const std::size_t n : {1u, 4u, 16u, 512u}) {
      const std::size_t copies = n == 1 ? (256u << 20) / packed_bytes(shape.type, shape.rows, shape.k) : 1;
      bool is_wanted = false;
      for (const LevelInfo& info : levels()) {
        const std::string name =
            std::string(info.name) + " " + std::string(tensor_type_info(shape.type).name) + " n" + std::to_string(n);
        is_wanted = is_wanted || name.find(filter) != std::string::npos;
      }
      if (!is_wanted) continue;
      Weights w(shape, copies);
      for (const LevelInfo& info : levels()) {
        if (!info.is_available || info.level == Level::reference) continue;
        const std::string name =
            std::string(info.name) + " " + std::string(tensor_type_info(shape.type).name) + " n" + std::to_string(n);
        if (name.find(filter) == std::string::npos) continue;
        if (!run_cell(*kernels::find_kernels(info.level), w, n, budget)) return 1;
      }
    }
  }
}
