// SPDX-License-Identifier: MIT
#include "support/blocks.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>

#include "base/bytes.hpp"
#include "base/half.hpp"
#include "quant/canonical.hpp"
#include "quant/quantize.hpp"
#include "support/gguf_writer.hpp"

namespace loquat_test {
namespace {

using loquat::TensorType;

/// Where a block has its f16 scales.
std::vector<std::size_t> scale_offsets(TensorType type) {
  switch (type) {
    case TensorType::q4_1:
    case TensorType::q5_1:
    case TensorType::q4_k:
    case TensorType::q5_k:
      return {0, 2};
    case TensorType::q2_k:
      return {80, 82};
    case TensorType::q3_k:
      return {108};
    case TensorType::q6_k:
      return {208};
    case TensorType::mxfp4:
      return {};
    default:
      return {0};
  }
}

void set_scales(TensorType type, std::vector<std::byte>& rows, std::span<const float> scales) {
  const std::size_t block_bytes = loquat::tensor_type_info(type).block_bytes;
  std::size_t next = 0;
  for (std::size_t at = 0; at < rows.size(); at += block_bytes) {
    for (const std::size_t offset : scale_offsets(type)) {
      loquat::store(rows.data() + at + offset, loquat::float_to_half(scales[next++ % scales.size()]));
    }
    if (type == TensorType::mxfp4) {
      const float size = std::fabs(scales[next++ % scales.size()]);
      const int exponent = size > 0 ? std::ilogb(size) + 128 : 0;
      rows[at] = static_cast<std::byte>(std::clamp(exponent, 0, 254));
    }
  }
}

}  // namespace

std::vector<TensorType> computable_types() {
  std::vector<TensorType> types;
  for (const loquat::TensorTypeInfo& info : loquat::tensor_types()) {
    if (info.is_computable) types.push_back(info.type);
  }
  return types;
}

std::vector<TensorType> quantized_types() {
  std::vector<TensorType> types = computable_types();
  std::erase_if(types, [](TensorType type) { return loquat::is_float_type(type); });
  return types;
}

std::string type_name(TensorType type) {
  return std::string(loquat::tensor_type_info(type).name);
}

std::vector<float> normal_values(std::size_t n, unsigned seed, float scale) {
  std::mt19937 generator(seed);
  std::vector<float> values(n);
  for (float& value : values) {  // twelve uniform numbers: std::normal_distribution differs between libraries
    double sum = -6;
    for (int i = 0; i < 12; ++i) sum += static_cast<double>(generator()) * 0x1p-32;
    value = static_cast<float>(sum) * scale;
  }
  return values;
}

std::vector<std::byte> random_rows(TensorType type, std::size_t rows, std::size_t k, unsigned seed,
                                   std::span<const float> scales) {
  std::vector<std::byte> bytes(rows * loquat::row_bytes(type, k));
  if (loquat::is_float_type(type)) {
    std::vector<float> values = normal_values(rows * k, seed);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] *= scales[i % scales.size()];
    loquat::quantize_row(type, values.data(), bytes.data(), values.size());
    return bytes;
  }
  std::mt19937 generator(seed);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(generator() & 0xFF);
  set_scales(type, bytes, scales);
  return bytes;
}

std::vector<std::byte> random_rows(TensorType type, std::size_t rows, std::size_t k, unsigned seed) {
  return random_blocks(type, rows * k, 0.5f, seed);
}

std::vector<std::byte> filled_row(TensorType type, std::size_t k, std::byte fill, std::span<const float> scales) {
  std::vector<std::byte> bytes(loquat::row_bytes(type, k), fill);
  set_scales(type, bytes, scales);
  return bytes;
}

}  // namespace loquat_test
