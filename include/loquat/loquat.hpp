// SPDX-License-Identifier: MIT
#ifndef LOQUAT_LOQUAT_HPP
#define LOQUAT_LOQUAT_HPP

// The public set. See examples/01_hello.cpp for the first program.

#include <loquat/array.hpp>
#include <loquat/cache_type.hpp>
#include <loquat/callback.hpp>
#include <loquat/chat.hpp>
#include <loquat/config.hpp>
#include <loquat/cpu.hpp>
#include <loquat/executor.hpp>
#include <loquat/fwd.hpp>
#include <loquat/host.hpp>
#include <loquat/model.hpp>
#include <loquat/plan.hpp>
#include <loquat/result.hpp>
#include <loquat/sampler.hpp>
#include <loquat/session.hpp>
#include <loquat/tokenizer.hpp>
#include <loquat/version.hpp>

#endif  // LOQUAT_LOQUAT_HPP
