// SPDX-License-Identifier: MIT
// The byte-level alphabet of GPT-2: every byte is written as one visible code point. Bytes that are visible in Latin-1
// stand for themselves, the other 68 become U+0100, U+0101, ... in ascending order.
#ifndef LOQUAT_TEXT_BYTE_ALPHABET_HPP
#define LOQUAT_TEXT_BYTE_ALPHABET_HPP

#include <loquat/config.hpp>

#include <array>
#include <cstdint>

namespace loquat::inline LOQUAT_ABI::text {

struct ByteAlphabet {
  static constexpr std::uint32_t kLetters = 0x144;  ///< letters are below this code point
  static constexpr std::uint16_t kNoByte = 256;
  std::array<std::uint16_t, 256> letter_of{};
  std::array<std::uint16_t, kLetters> byte_of{};
};

constexpr ByteAlphabet make_byte_alphabet() noexcept {
  ByteAlphabet alphabet;
  alphabet.byte_of.fill(ByteAlphabet::kNoByte);
  std::uint16_t next = 0x100;
  for (std::uint16_t byte = 0; byte < 256; ++byte) {
    const bool is_visible = (byte >= '!' && byte <= '~') || (byte >= 0xA1 && byte != 0xAD);
    const std::uint16_t letter = is_visible ? byte : next++;
    alphabet.letter_of[byte] = letter;
    alphabet.byte_of[letter] = byte;
  }
  return alphabet;
}

inline constexpr ByteAlphabet kByteAlphabet = make_byte_alphabet();

}  // namespace loquat::inline LOQUAT_ABI::text

#endif  // LOQUAT_TEXT_BYTE_ALPHABET_HPP
