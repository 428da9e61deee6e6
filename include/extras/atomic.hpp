/* SPDX-License-Identifier: Apache-2.0
 * ATOMIC:: is in pin.H. */
#ifndef ATOMIC_HPP
#define ATOMIC_HPP
#include "pin.H"
#endif
