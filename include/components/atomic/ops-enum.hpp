/* SPDX-License-Identifier: Apache-2.0
 * The memory order that a caller of ATOMIC::OPS asks for. All operations have the strongest one, so each is served. */
#ifndef ATOMIC_OPS_ENUM_HPP
#define ATOMIC_OPS_ENUM_HPP
#include "../types.h" /* programs that include nothing else have UINT32 and ADDRINT from here */

namespace ATOMIC {
enum BARRIER_CS { BARRIER_CS_NONE, BARRIER_CS_PREV, BARRIER_CS_NEXT };
enum BARRIER_SWAP { BARRIER_SWAP_NONE, BARRIER_SWAP_PREV, BARRIER_SWAP_NEXT };
enum BARRIER_ST { BARRIER_ST_NONE, BARRIER_ST_PREV };
enum BARRIER_LD { BARRIER_LD_NONE, BARRIER_LD_NEXT };
} // namespace ATOMIC
#endif
