/* SPDX-License-Identifier: Apache-2.0
 * Branch predictors of one core: two-bit counters by address (bimodal) or by address and history (gshare) for conditional branches, the last target for indirect jumps and calls, a
 * stack for returns. Each function tells whether the prediction was right, and learns. Counts nothing; not locked. */
#ifndef PREDICTOR_H
#define PREDICTOR_H
#include "pin.H"

#include <vector>

class BranchPredictor
{
  public:
    /* Tables of 2^bits entries that know nothing yet. */
    VOID Reset(UINT32 bits, UINT32 returns)
    {
        mask = (1u << bits) - 1;
        bimodal.assign(mask + 1, 1);
        gshare.assign(mask + 1, 1);
        targets.assign(mask + 1, 0);
        stack.assign(returns, 0);
        history = depth = 0;
    }
    BOOL Bimodal(ADDRINT pc, BOOL taken) { return Train(&bimodal[pc & mask], taken); }
    BOOL Gshare(ADDRINT pc, BOOL taken)
    {
        BOOL right = Train(&gshare[(pc ^ history) & mask], taken);
        history = history << 1 | (taken ? 1 : 0);
        return right;
    }
    BOOL Target(ADDRINT pc, ADDRINT target)
    {
        ADDRINT *last = &targets[pc & mask];
        BOOL right = *last == target;
        *last = target;
        return right;
    }
    VOID Call(ADDRINT next) { stack[depth++ % stack.size()] = next; }
    BOOL Return(ADDRINT target) { return stack[--depth % stack.size()] == target; }

  private:
    static BOOL Train(UINT8 *counter, BOOL taken)
    {
        BOOL right = (*counter >= 2) == !!taken;
        if (taken && *counter < 3)
            ++*counter;
        else if (!taken && *counter > 0)
            --*counter;
        return right;
    }

    std::vector<UINT8> bimodal, gshare; /* 0..3, taken from 2 */
    std::vector<ADDRINT> targets, stack;
    UINT32 mask, history, depth;
};

#endif
