/* SPDX-License-Identifier: Apache-2.0
 * ATOMIC::OPS: operations on integers and pointers that no other thread sees half done. Those that change a value
 * return the one before. The order is always sequentially consistent. Header only. */
#ifndef ATOMIC_OPS_HPP
#define ATOMIC_OPS_HPP
#include "ops-enum.hpp"

namespace ATOMIC {
struct OPS {
    template <typename T> static T Load(const volatile T *p, BARRIER_LD = BARRIER_LD_NONE)
    {
        return __atomic_load_n(p, __ATOMIC_SEQ_CST);
    }
    template <typename T, typename U> static void Store(volatile T *p, U v, BARRIER_ST = BARRIER_ST_NONE)
    {
        __atomic_store_n(p, static_cast<T>(v), __ATOMIC_SEQ_CST);
    }
    template <typename T, typename U> static T Swap(volatile T *p, U v, BARRIER_SWAP = BARRIER_SWAP_NONE)
    {
        return __atomic_exchange_n(p, static_cast<T>(v), __ATOMIC_SEQ_CST);
    }
    template <typename T, typename U> static T Increment(volatile T *p, U by, BARRIER_CS = BARRIER_CS_NONE)
    {
        return __atomic_fetch_add(p, static_cast<T>(by), __ATOMIC_SEQ_CST);
    }
    template <typename T, typename U, typename V>
    static T CompareAndSwap(volatile T *p, U expected, V wanted, BARRIER_CS = BARRIER_CS_NONE)
    {
        T seen = static_cast<T>(expected);
        __atomic_compare_exchange_n(p, &seen, static_cast<T>(wanted), false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
        return seen;
    }
    template <typename T, typename U, typename V>
    static bool CompareAndDidSwap(volatile T *p, U expected, V wanted, BARRIER_CS = BARRIER_CS_NONE)
    {
        T seen = static_cast<T>(expected);
        return __atomic_compare_exchange_n(p, &seen, static_cast<T>(wanted), false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    }
    /* Afterwards the value is at least v. */
    template <typename T, typename U> static void MaxValue(volatile T *p, U v)
    {
        T seen = Load(p);
        while (seen < static_cast<T>(v) &&
               !__atomic_compare_exchange_n(p, &seen, static_cast<T>(v), false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
            ;
    }
    static void Delay(unsigned n)
    {
        while (n--)
            __builtin_ia32_pause();
    }
};
} // namespace ATOMIC
#endif
