// SPDX-License-Identifier: MIT
// Rows of quantized blocks for tests: any codes, and scales that are chosen.
#ifndef LOQUAT_TESTS_SUPPORT_BLOCKS_HPP
#define LOQUAT_TESTS_SUPPORT_BLOCKS_HPP

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "quant/tensor_type.hpp"

namespace loquat_test {

/// Every type that can be computed with, or only those that are multiplied with quantized activations.
std::vector<loquat::TensorType> computable_types();
std::vector<loquat::TensorType> quantized_types();
std::string type_name(loquat::TensorType type);

/// Normally distributed numbers times `scale`; the same for the same seed on every platform.
std::vector<float> normal_values(std::size_t n, unsigned seed, float scale = 1);

/// `rows` rows of k values: every bit of the codes (and small scales) random.
/// Scales f16 (both, where there are two) are taken in turn from `scales`; floats are drawn around their size.
std::vector<std::byte> random_rows(loquat::TensorType type, std::size_t rows, std::size_t k, unsigned seed,
                                   std::span<const float> scales);
/// The same with scales of ordinary size and either sign.
std::vector<std::byte> random_rows(loquat::TensorType type, std::size_t rows, std::size_t k, unsigned seed);
/// One row in which every byte but the scales is `fill`.
std::vector<std::byte> filled_row(loquat::TensorType type, std::size_t k, std::byte fill,
                                  std::span<const float> scales);

}  // namespace loquat_test

#endif  // LOQUAT_TESTS_SUPPORT_BLOCKS_HPP
