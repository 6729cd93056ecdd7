// SPDX-License-Identifier: MIT
#include "quant/scale_search.hpp"

#include <initializer_list>

namespace loquat::inline LOQUAT_ABI {
namespace {

/// Squared error that a least-squares scale takes away: sum(x c)^2 / sum(c c). The largest is the best fit.
struct ScaleCandidate {
  double scale = 0;
  double gain = 0;
};

/// The best scale for the whole numbers that code_of(x[i]) gives.
template <class CodeOf>
ScaleCandidate solve_scale(const float* x, std::size_t n, CodeOf code_of) noexcept {
  double product = 0;
  double square = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double code = code_of(x[i]);
    product += double{x[i]} * code;
    square += code * code;
  }
  if (!(square > 0)) return {};
  return {product / square, product * product / square};
}

void keep_better(ScaleCandidate& best, const ScaleCandidate& candidate) noexcept {
  if (candidate.gain > best.gain) best = candidate;
}

struct OffsetCandidate {
  double scale = 0;
  double offset = 0;
  double error = 0;
};

/// Least squares of scale * code + offset over the values, offset <= 0.
OffsetCandidate solve_scale_and_offset(const float* x, const int* codes, std::size_t n) noexcept {
  double sum_x = 0;
  double sum_c = 0;
  double sum_xc = 0;
  double sum_cc = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double code = codes[i];
    sum_x += double{x[i]};
    sum_c += code;
    sum_xc += double{x[i]} * code;
    sum_cc += code * code;
  }
  const double count = static_cast<double>(n);
  const double determinant = count * sum_cc - sum_c * sum_c;
  OffsetCandidate fit;
  if (determinant > 0) {
    fit.scale = (count * sum_xc - sum_x * sum_c) / determinant;
    fit.offset = (sum_cc * sum_x - sum_c * sum_xc) / determinant;
  }
  if (!(determinant > 0) || fit.offset > 0) {
    fit.scale = sum_cc > 0 ? sum_xc / sum_cc : 0;
    fit.offset = 0;
  }
  for (std::size_t i = 0; i < n; ++i) {
    const double difference = fit.scale * codes[i] + fit.offset - double{x[i]};
    fit.error += difference * difference;
  }
  return fit;
}

}  // namespace

float extreme_value(const float* x, std::size_t n) noexcept {
  float extreme = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (std::fabs(extreme) < std::fabs(x[i])) extreme = x[i];
  }
  return extreme;
}

ValueRange value_range(const float* x, std::size_t n) noexcept {
  ValueRange range{x[0], x[0]};
  for (std::size_t i = 1; i < n; ++i) {
    if (x[i] < range.lowest) range.lowest = x[i];
    if (x[i] > range.highest) range.highest = x[i];
  }
  return range;
}

float fit_scale(const float* x, std::size_t n, int lowest, int highest) noexcept {
  const float extreme = extreme_value(x, n);
  ScaleCandidate best;
  // The extreme goes to `lowest`, the end with one code more, or up to 0.9 beside it.
  for (int step = -9; step <= 9; ++step) {
    const float inverse = (static_cast<float>(lowest) + 0.1f * static_cast<float>(step)) * reciprocal_or_zero(extreme);
    keep_better(best, solve_scale(x, n, [=](float value) { return round_to_code(value * inverse, lowest, highest); }));
  }
  return static_cast<float>(best.scale);
}

OffsetFit fit_scale_and_minimum(const float* x, std::size_t n, int highest) noexcept {
  constexpr std::size_t kLongest = 32;
  int codes[kLongest];
  ValueRange range = value_range(x, n);
  if (range.lowest > 0) range.lowest = 0;
  if (!(range.highest > range.lowest)) return {0, -range.lowest};  // all values equal and not positive
  const float width = range.highest - range.lowest;
  OffsetCandidate best;
  for (int step = -5; step <= 9; ++step) {
    const float inverse = (static_cast<float>(highest) + 0.1f * static_cast<float>(step)) / width;
    for (std::size_t i = 0; i < n; ++i) codes[i] = round_to_code((x[i] - range.lowest) * inverse, 0, highest);
    const OffsetCandidate candidate = solve_scale_and_offset(x, codes, n);
    if (step == -5 || candidate.error < best.error) best = candidate;
  }
  return {static_cast<float>(best.scale), static_cast<float>(-best.offset)};
}

std::uint8_t nearest_of_sixteen(const std::int8_t* table, float value) noexcept {
  std::uint8_t index = 0;
  while (index < 15 && value > 0.5f * static_cast<float>(table[index] + table[index + 1])) ++index;
  return index;
}

float fit_table_scale(const float* x, std::size_t n, const std::int8_t* table) noexcept {
  const float inverse_extreme = reciprocal_or_zero(extreme_value(x, n));
  ScaleCandidate best;
  // The table's ends differ, so the extreme is tried at both; 4 is about a third of the distance of the outer entries.
  for (const std::int8_t end : {table[0], table[15]}) {
    for (int step = -7; step <= 7; ++step) {
      const float inverse = static_cast<float>(end + 4 * step) * inverse_extreme;
      keep_better(best,
                  solve_scale(x, n, [=](float value) { return table[nearest_of_sixteen(table, value * inverse)]; }));
    }
  }
  return static_cast<float>(best.scale);
}

}  // namespace loquat::inline LOQUAT_ABI
