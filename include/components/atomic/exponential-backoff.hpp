/* SPDX-License-Identifier: Apache-2.0
 * ATOMIC::EXPONENTIAL_BACKOFF: the wait of a thread whose atomic operation has failed, longer each time. */
#ifndef ATOMIC_EXPONENTIAL_BACKOFF_HPP
#define ATOMIC_EXPONENTIAL_BACKOFF_HPP
#include "ops.hpp"

namespace ATOMIC {
template <unsigned retries = 5> class EXPONENTIAL_BACKOFF
{
  public:
    /* freebies: how many waits cost nothing. */
    EXPONENTIAL_BACKOFF(unsigned freebies = 1, void * = 0) : _freebies(freebies), _count(0) {}
    void Reset() { _count = 0; }
    void Delay()
    {
        unsigned n = _count++;
        if (n >= _freebies)
            OPS::Delay(1u << (n - _freebies < retries ? n - _freebies : retries));
    }

  private:
    unsigned _freebies, _count;
};
} // namespace ATOMIC
#endif
