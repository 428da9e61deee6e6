/* SPDX-License-Identifier: Apache-2.0
 * UTIL::, for tools and for applications: it does not need pin.H, nor a library. */
#ifndef UTIL_HPP
#define UTIL_HPP
#include "util/strings.hpp"
#endif
