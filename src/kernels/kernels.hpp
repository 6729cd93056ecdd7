// SPDX-License-Identifier: MIT
// The kernel table: one struct of function pointers a level, every member set. Pure functions over pointers and sizes:
// no allocation, no thread, no state. All levels give the same bits (promise D2); the orders of operations are those of
// quant/canonical.hpp and of the contract lines here.
//
// Float rules. All f32, round to nearest even, no contraction but the fma written here. "sum8" is the sum of eight
// virtual lanes (lane j adds the elements i*8 + j in ascending i, missing ones as +0) folded as
// ((l0+l4)+(l2+l6)) + ((l1+l5)+(l3+l7)). exp is the polynomial of kernels/generic/math.hpp.
#ifndef LOQUAT_KERNELS_KERNELS_HPP
#define LOQUAT_KERNELS_KERNELS_HPP

#include <loquat/cpu.hpp>

#include <cstddef>
#include <cstdint>

#include "quant/tensor_type.hpp"

namespace loquat::inline LOQUAT_ABI::kernels {

/// A weight matrix [rows, k] in memory.
struct Matrix {
  TensorType type = TensorType::f32;
  bool is_packed = false;      ///< panels of quant/packing.hpp; else rows as in the file
  const std::byte* data = nullptr;
  std::size_t rows = 0;
  std::size_t k = 0;
};

/// Activations quantized by one level, for N columns of K values. Opaque: layout and size belong to the level.
struct QuantizedInput {
  std::byte* data = nullptr;  ///< aligned to 64 bytes, input_bytes(k, n) bytes
  std::size_t k = 0;
  std::size_t n = 0;
};

/// A product y [N, rows] = x [N, k] * w [rows, k]^T. Exactly one of `input` (quantized types) and `x` (float types) is used.
struct Product {
  Matrix weights;
  QuantizedInput input;
  const float* x = nullptr;   ///< [n, k], row n at x + n * x_stride
  std::size_t x_stride = 0;
  std::size_t n = 0;
  float* y = nullptr;         ///< element (n, row) at y[n * y_stride + row]
  std::size_t y_stride = 0;
};

/// Rows handed to one call of multiply(): tiles of kTileRows rows, the last one shorter.
inline constexpr std::size_t kTileRows = 64;

/// Positions of one cache page, and of one attention block: softmax sums are cut here whatever the chunking.
inline constexpr std::size_t kPagePositions = 64;

/// Attention of some queries over the pages of one sequence, for one layer.
///
/// A page holds for every key/value head K transposed, [head_width][kPagePositions], and V [kPagePositions][head_width], in
/// f16 or, where `is_f32_cache`, in f32.
/// For a query at position p, with n = p + 1 visible positions in blocks b of 64 (ascending), starting from m = -inf, l = 0, o = 0:
///   s_j = scale * (fma over d ascending of q[d] * k[d][j], from 0)             for visible j of the block
///   m'  = max(m, max_j s_j);  c = exp(m - m');  p_j = exp(s_j - m')
///   l   = fma(l, c, sum8(p_j));  o[d] = o[d] * c, then fma(p_j, v[j][d], o[d]) over visible j ascending;  m = m'
///   out[d] = o[d] / l
/// sum8 runs over all 64 lanes with p_j = +0 where j is not visible. In the first block c is exp(-inf) = 0.
struct Attention {
  const float* q = nullptr;    ///< [n, heads, head_width], query i at q + i * q_stride
  std::size_t q_stride = 0;
  float* out = nullptr;        ///< same shape
  std::size_t out_stride = 0;
  const std::byte* const* pages = nullptr;  ///< page b holds positions b*64 .. b*64+63
  std::size_t k_offset = 0;    ///< bytes from a page's start to this layer's K of head 0; the next head follows at head_width*64 elements
  std::size_t v_offset = 0;
  bool is_f32_cache = false;   ///< elements of k and v are f32, not f16
  std::size_t heads = 0;
  std::size_t kv_heads = 0;    ///< heads % kv_heads == 0
  std::size_t head_width = 0;  ///< a multiple of 8
  std::size_t first_position = 0;  ///< of query 0; query i is at first_position + i
  std::size_t n = 0;           ///< queries
  float scale = 1;
};

enum class RopeLayout : std::uint8_t {
  neighbours,  ///< pairs (2i, 2i+1): "NORM"
  halves,      ///< pairs (i, i + rotary/2): "NEOX"
};

struct KernelTable {
  Level level;

  // -- Matrix products ------------------------------------------------------------------------------------------------

  /// Bytes of a QuantizedInput for n columns of k values. Monotonic in n.
  std::size_t (*input_bytes)(std::size_t k, std::size_t n) noexcept;
  /// Columns that must be quantized together: parallel callers cut at multiples of this.
  std::size_t input_tile;
  /// Quantizes columns [begin, end) of x [n, k] into `input`. begin % input_tile == 0; end is a multiple too, or n.
  /// k % 32 == 0. Pure in each tile: calls on different tiles may run at the same time.
  void (*quantize_input)(const float* x, std::size_t x_stride, const QuantizedInput& input, std::size_t begin,
                         std::size_t end) noexcept;
  /// Scratch bytes that one call of multiply() needs, for any rows, given k and n. Aligned to 64 by the caller.
  std::size_t (*multiply_scratch_bytes)(std::size_t k, std::size_t n) noexcept;
  /// Computes rows [tile * 64, min(rows, tile * 64 + 64)) of a product, all columns; every type, packed or not.
  void (*multiply)(const Product& product, std::size_t tile, std::byte* scratch) noexcept;

  // -- Rows of floats -------------------------------------------------------------------------------------------------

  /// y[i] = (x[i] * r) * w[i], r = 1 / sqrt(sum8(x*x by fma) / n + epsilon). y may be x. w null: no weights.
  void (*rms_norm)(const float* x, const float* w, float epsilon, float* y, std::size_t n) noexcept;
  /// y[i] += x[i]
  void (*add)(float* y, const float* x, std::size_t n) noexcept;
  /// gate[i] = silu(gate[i]) * up[i], silu(x) = x / (1 + exp(-x))
  void (*silu_multiply)(float* gate, const float* up, std::size_t n) noexcept;
  /// Turns `rotary` leading values of each of n_heads heads [head_width]: (a, b) -> (fma(-b, sin, a*cos), fma(a, sin, b*cos)).
  /// cos, sin [rotary / 2].
  void (*rope)(float* heads, std::size_t n_heads, std::size_t head_width, std::size_t rotary, RopeLayout layout,
               const float* cos, const float* sin) noexcept;
  /// f16 <-> f32, round to nearest even; to_half clamps to +-65504 so that no infinity enters a cache.
  void (*to_half)(const float* x, std::uint16_t* y, std::size_t n) noexcept;
  void (*to_float)(const std::uint16_t* x, float* y, std::size_t n) noexcept;

  // -- Attention ------------------------------------------------------------------------------------------------------

  /// Queries that one call of attend() takes.
  std::size_t attention_tile;
  std::size_t (*attention_scratch_bytes)(std::size_t head_width, std::size_t heads_per_kv_head) noexcept;
  /// Queries [tile * attention_tile, ...) of key/value head kv_head, for all heads that share it.
  void (*attend)(const Attention& attention, std::size_t kv_head, std::size_t tile, std::byte* scratch) noexcept;
};

/// The table of a level.
///
/// Null where the level is not compiled in or this machine lacks it; `automatic` always has one.
const KernelTable* find_kernels(Level level) noexcept;

}  // namespace loquat::inline LOQUAT_ABI::kernels

#endif  // LOQUAT_KERNELS_KERNELS_HPP
