/* SPDX-License-Identifier: Apache-2.0
 * ATOMIC::, for tools and for applications: it does not need pin.H, nor a library. */
#ifndef ATOMIC_HPP
#define ATOMIC_HPP
#include "atomic/exponential-backoff.hpp"
#include "atomic/ops.hpp"
#endif
