// SPDX-License-Identifier: MIT
#ifndef LOQUAT_FWD_HPP
#define LOQUAT_FWD_HPP

#include <loquat/config.hpp>

#include <cstdint>

namespace loquat::inline LOQUAT_ABI {

/// Index into a vocabulary. Signed, so that a negative id is refused instead of wrapping (promise A4).
using Token = std::int32_t;

enum class ErrorCode : std::uint8_t;
class Error;
class Status;
template <class Value>
class Result;
template <class Element>
class Array;
class String;

class Allocator;
class Executor;
class LogSink;
struct Host;
class StopToken;

class Reader;
class Model;
struct LoadOptions;
class Tokenizer;
class StreamDecoder;
class Sampler;
struct SamplerOptions;
class Session;
struct SessionOptions;
struct GenerateOptions;
struct Reply;
class Chat;
struct Message;

}  // namespace loquat::inline LOQUAT_ABI

#endif  // LOQUAT_FWD_HPP
