// SPDX-License-Identifier: MIT
// Random blocks of every computable type. Codes are any bits; only the scales are chosen, because random bits there
// would be infinities and magnitudes that no model has. Factors: root mean square of the codes (times that of the
// sub-scales), so that a block's values come out near the wanted magnitude.
#include <bit>
#include <cmath>
#include <stdexcept>
#include <string>

#include "base/half.hpp"
#include "quant/iq4.hpp"
#include "quant/mxfp4.hpp"
#include "quant/q2_k.hpp"
#include "quant/q3_k.hpp"
#include "quant/q4.hpp"
#include "quant/q4_k.hpp"
#include "quant/q5.hpp"
#include "quant/q6_k.hpp"
#include "quant/q8_0.hpp"
#include "support/gguf_writer.hpp"

namespace loquat_test {

namespace {

using namespace loquat;

/// splitmix64: the same numbers everywhere.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t bits() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  /// In [least, most).
  float uniform(float least, float most) {
    return least + (most - least) * static_cast<float>(bits() >> 40) * 0x1p-24f;
  }
  template <class Block>
  Block any_bits() {
    Block block;
    auto* bytes = reinterpret_cast<unsigned char*>(&block);
    for (std::size_t i = 0; i < sizeof block; ++i) bytes[i] = static_cast<unsigned char>(bits());
    return block;
  }

 private:
  std::uint64_t state_;
};

/// A scale of either sign around magnitude / spread.
std::uint16_t scale(Random& random, float magnitude, float spread) {
  const float size = magnitude / spread * random.uniform(0.75f, 1.25f);
  return float_to_half((random.bits() & 1) != 0 ? size : -size);
}

template <class Block>
void set_scale(Block& block, Random& random, float magnitude, float spread) {
  block.d = scale(random, magnitude, spread);
}
/// With an offset that puts the middle code near zero.
template <class Block>
void set_scale_and_offset(Block& block, Random& random, float magnitude, float spread, float middle) {
  block.d = scale(random, magnitude, spread);
  block.m = float_to_half(-middle * half_to_float(block.d));
}
template <class Block>
void set_scale_and_minimum(Block& block, Random& random, float magnitude, float spread, float middle) {
  block.d = scale(random, magnitude, spread);
  block.dmin = float_to_half(middle * half_to_float(block.d));
}

void choose(BlockQ4_0& b, Random& r, float m) { set_scale(b, r, m, 4.6f); }
void choose(BlockQ4_1& b, Random& r, float m) { set_scale_and_offset(b, r, m, 4.6f, 7.5f); }
void choose(BlockQ5_0& b, Random& r, float m) { set_scale(b, r, m, 9.2f); }
void choose(BlockQ5_1& b, Random& r, float m) { set_scale_and_offset(b, r, m, 9.2f, 15.5f); }
void choose(BlockQ8_0& b, Random& r, float m) { set_scale(b, r, m, 74.0f); }
void choose(BlockQ2_K& b, Random& r, float m) { set_scale_and_minimum(b, r, m, 14.0f, 1.5f); }
void choose(BlockQ3_K& b, Random& r, float m) { set_scale(b, r, m, 2.3f * 18.5f); }
void choose(BlockQ4_K& b, Random& r, float m) { set_scale_and_minimum(b, r, m, 250.0f, 7.5f); }
void choose(BlockQ5_K& b, Random& r, float m) { set_scale_and_minimum(b, r, m, 500.0f, 15.5f); }
void choose(BlockQ6_K& b, Random& r, float m) { set_scale(b, r, m, 18.5f * 74.0f); }
void choose(BlockIq4Nl& b, Random& r, float m) { set_scale(b, r, m, 68.0f); }
void choose(BlockIq4Xs& b, Random& r, float m) { set_scale(b, r, m, 68.0f * 18.5f); }
void choose(BlockMxfp4& b, Random& r, float m) {
  // Values are 0..6 (root mean square 3) times 2^(exponent - 127).
  const int exponent = static_cast<int>(std::lround(std::log2(m / 3.0f))) - static_cast<int>(r.bits() & 1);
  b.exponent = static_cast<std::uint8_t>(127 + exponent);
}

template <class Block>
Bytes blocks(std::size_t values, float magnitude, Random& random) {
  Bytes bytes(values / Block::kValues * sizeof(Block));
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(Block)) {
    Block block = random.any_bits<Block>();
    choose(block, random, magnitude);
    std::memcpy(bytes.data() + at, &block, sizeof block);
  }
  return bytes;
}

/// Values roughly normal: the sum of four uniforms has a deviation of 2 / sqrt(12) * half-width.
template <class T, class Convert>
Bytes floats(std::size_t values, float magnitude, Random& random, Convert convert) {
  Bytes bytes(values * sizeof(T));
  for (std::size_t i = 0; i < values; ++i) {
    float sum = 0;
    for (int j = 0; j < 4; ++j) sum += random.uniform(-0.866f, 0.866f);
    const T value = convert(sum * magnitude);
    std::memcpy(bytes.data() + i * sizeof(T), &value, sizeof value);
  }
  return bytes;
}

}  // namespace

Bytes random_blocks(TensorType type, std::size_t values, float magnitude, std::uint64_t seed) {
  Random random(seed);
  switch (type) {
    case TensorType::f32: return floats<float>(values, magnitude, random, [](float value) { return value; });
    case TensorType::f16: return floats<std::uint16_t>(values, magnitude, random, float_to_half);
    case TensorType::bf16: return floats<std::uint16_t>(values, magnitude, random, float_to_bfloat);
    case TensorType::q4_0: return blocks<BlockQ4_0>(values, magnitude, random);
    case TensorType::q4_1: return blocks<BlockQ4_1>(values, magnitude, random);
    case TensorType::q5_0: return blocks<BlockQ5_0>(values, magnitude, random);
    case TensorType::q5_1: return blocks<BlockQ5_1>(values, magnitude, random);
    case TensorType::q8_0: return blocks<BlockQ8_0>(values, magnitude, random);
    case TensorType::q2_k: return blocks<BlockQ2_K>(values, magnitude, random);
    case TensorType::q3_k: return blocks<BlockQ3_K>(values, magnitude, random);
    case TensorType::q4_k: return blocks<BlockQ4_K>(values, magnitude, random);
    case TensorType::q5_k: return blocks<BlockQ5_K>(values, magnitude, random);
    case TensorType::q6_k: return blocks<BlockQ6_K>(values, magnitude, random);
    case TensorType::iq4_nl: return blocks<BlockIq4Nl>(values, magnitude, random);
    case TensorType::iq4_xs: return blocks<BlockIq4Xs>(values, magnitude, random);
    case TensorType::mxfp4: return blocks<BlockMxfp4>(values, magnitude, random);
    default: {
      // A type that nothing computes with: bytes of the right number.
      const TensorTypeInfo& info = tensor_type_info(type);
      Bytes bytes(values / info.block_values * info.block_bytes);
      for (std::byte& byte : bytes) byte = static_cast<std::byte>(random.bits());
      return bytes;
    }
  }
}

}  // namespace loquat_test
