// SPDX-License-Identifier: Apache-2.0
// Trees of calls (calltree.h).
#include "calltree.h"

std::vector<CallTree *> calltrees;
REG calltree_reg;

static CallTree *trees[PIN_MAX_THREADS]; // of the threads that there are
static UINT32 most;
static BOOL only_last;

static CallNode *MakeNode(CallTree *t, CallNode *parent, UINT32 site, UINT32 target)
{
    CallNode *n = new CallNode();
    n->parent = parent;
    n->site = site;
    n->target = target;
    n->depth = parent ? parent->depth + 1 : 0;
    n->hash = ++t->nodes * 0x9e3779b1u >> 8;
    n->slots = t->slots;
    return n;
}

static CallNode *Find(CallTree *t, CallNode *parent, UINT32 site, UINT32 target)
{
    for (CallNode *n = parent->child; n; n = n->sibling)
        if (n->site == site && n->target == target)
            return n;
    CallNode *n = MakeNode(t, parent, site, target);
    n->sibling = parent->child;
    __atomic_store_n(&parent->child, n, __ATOMIC_RELEASE); // whoever walks the tree sees a whole node
    return n;
}

// The outermost site of the path is forgotten.
static CallNode *Shift(CallTree *t, const CallNode *from, UINT32 site)
{
    UINT32 sites[64], n = 0;
    for (; from->depth > 1; from = from->parent)
        sites[n++] = from->site;
    CallNode *to = t->root;
    while (n)
        to = Find(t, to, sites[--n], 0);
    return Find(t, to, site, 0);
}

static CallNode *ChildOf(CallTree *t, CallNode *parent, UINT32 site, UINT32 target)
{
    BOOL deep = parent->depth >= most;
    if (deep && !only_last)
        return parent;
    CallStep &step = t->recent[(parent->hash ^ site * 0x85ebca6bu ^ target * 0xc2b2ae35u) % 1024];
    if (step.from != parent || step.site != site || step.target != target)
        step = CallStep{parent, deep ? Shift(t, parent, site) : Find(t, parent, site, target), site, target};
    return step.to;
}

// --- analysis -----------------------------------------------------------------------------------------------------------

static CallNode *Leave(CallTree *t, ADDRINT sp)
{
    while (!t->frames.empty() && t->frames.back().sp <= sp)
        t->frames.pop_back();
    return t->frames.empty() ? t->root : t->frames.back().node;
}

static ADDRINT Enter(THREADID tid, UINT32 site, UINT32 target, ADDRINT sp)
{
    CallTree *t = trees[tid];
    CallNode *to = ChildOf(t, Leave(t, sp), site, target);
    to->calls++;
    t->frames.push_back(CallFrame{to, sp});
    return ADDRINT(to);
}

static ADDRINT EnterAt(THREADID tid, UINT32 site, ADDRINT address, ADDRINT sp)
{
    PIN_LockClient();
    UINT32 target = where_note(address);
    PIN_UnlockClient();
    return Enter(tid, site, target, sp);
}

// A return takes at least its address from the stack, a word of the program's.
static ADDRINT Return(THREADID tid, ADDRINT sp, UINT32 word) { return ADDRINT(Leave(trees[tid], sp + word)); }

// --- instrumentation ----------------------------------------------------------------------------------------------------

static VOID Instruction(INS ins, VOID *)
{
    if (INS_IsRet(ins)) {
        UINT32 word = INS_MemoryOperandCount(ins) ? UINT32(INS_MemoryOperandSize(ins, 0)) : UINT32(sizeof(ADDRINT));
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Return), IARG_CALL_ORDER, CALL_ORDER_LAST, IARG_THREAD_ID, IARG_REG_VALUE, REG_STACK_PTR, IARG_UINT32, word, IARG_RETURN_REGS, calltree_reg,
            IARG_END);
        return;
    }
    if (!INS_IsCall(ins))
        return;
    UINT32 site = where_note(INS_Address(ins));
    if (only_last || INS_IsDirectControlFlow(ins))
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Enter), IARG_CALL_ORDER, CALL_ORDER_LAST, IARG_THREAD_ID, IARG_UINT32, site, IARG_UINT32,
            only_last ? 0 : where_note(INS_DirectControlFlowTargetAddress(ins)), IARG_REG_VALUE, REG_STACK_PTR, IARG_RETURN_REGS, calltree_reg, IARG_END);
    else
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(EnterAt), IARG_CALL_ORDER, CALL_ORDER_LAST, IARG_THREAD_ID, IARG_UINT32, site, IARG_BRANCH_TARGET_ADDR, IARG_REG_VALUE, REG_STACK_PTR,
            IARG_RETURN_REGS, calltree_reg, IARG_END);
}

static VOID ThreadStart(THREADID tid, CONTEXT *ctxt, INT32, VOID *)
{
    CallTree *t = new CallTree();
    t->root = MakeNode(t, NULL, 0, where_note(PIN_GetContextReg(ctxt, REG_INST_PTR)));
    t->root->calls = 1;
    t->tid = tid;
    trees[tid] = t;
    calltrees.push_back(t);
    PIN_SetContextReg(ctxt, calltree_reg, ADDRINT(t->root));
}

VOID calltree_start(UINT32 depth, BOOL short_stacks)
{
    most = depth;
    only_last = short_stacks;
    calltree_reg = PIN_ClaimToolRegister();
    PIN_AddThreadStartFunction(ThreadStart, 0);
    if (depth)
        INS_AddInstrumentFunction(Instruction, 0);
}

static VOID ResetNode(CallNode *n)
{
    n->self = n->calls = 0;
    for (CallCounter *c = n->counters; c; c = c->next)
        c->n = 0;
    for (CallNode *c = n->child; c; c = c->sibling)
        ResetNode(c);
}

VOID calltree_reset()
{
    for (CallTree *t : calltrees)
        ResetNode(t->root);
}
