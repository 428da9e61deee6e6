/* SPDX-License-Identifier: Apache-2.0
 * CALLSTACK: handlers of functions with the depth of calls since main, the targets, and the stack as text. */
#include "checks.h"

#include "call-stack.H"
#include "settings.h"

using namespace CALLSTACK;

static CallStackManager *manager;
static UINT32 at_main;

static void Show(const char *what, CONTEXT *ctxt, THREADID tid, const char *name)
{
    CallStack stack = manager->get_stack(tid);
    std::printf("%s %s, depth %u, rdi %s", what, name, stack.depth() - at_main, ctxt ? decstr(PIN_GetContextReg(ctxt, REG_RDI) & 0xff).c_str() : "?");
    std::printf(", rax %lu\n", ctxt && *what == 'o' ? PIN_GetContextReg(ctxt, REG_RAX) & 0xff : 0);
}
static void In(CONTEXT *ctxt, ADDRINT, THREADID tid, VOID *v) { Show("in", ctxt, tid, static_cast<const char *>(v)); }
static void Out(CONTEXT *ctxt, ADDRINT, THREADID tid, VOID *v) { Show("out of", ctxt, tid, static_cast<const char *>(v)); }
static void Main(CONTEXT *, ADDRINT ip, THREADID tid, VOID *)
{
    CallStack stack = manager->get_stack(tid);
    at_main = stack.depth();
    EQUAL(stack.top_target(), ip);
}

/* In the innermost count: the calls to it, and that main's is below. */
static void Deep(CONTEXT *, ADDRINT ip, THREADID tid, VOID *v)
{
    CallStack stack = manager->get_stack(tid);
    static unsigned calls;
    if (++calls != 3)
        return;
    vector<string> lines;
    list<ADDRINT> targets;
    stack.save_all_ips_info();
    stack.emit_stack(4, lines);
    EQUAL(lines.size(), 4u);
    for (size_t i = 0; i < lines.size(); i++)
        std::printf("%s\n", lines[i].substr(0, lines[i].find(" in ")).c_str());
    stack.get_targets(targets);
    EQUAL(targets.size(), stack.depth());
    EQUAL(targets.front(), ip);
    EQUAL(stack.depth_target(3), stack.depth_target(0) - ip + *static_cast<ADDRINT *>(v));
    EQUAL(stack.depth_target(stack.depth()), 0u);
    CallStackInfo info;
    manager->get_ip_info(ip, info);
    EQUAL(info.func_name, "count");
}
static ADDRINT main_address;
static VOID Image(IMG img, VOID *)
{
    RTN rtn = RTN_FindByName(img, "main");
    if (IMG_IsMainExecutable(img) && RTN_Valid(rtn)) {
        main_address = RTN_Address(rtn);
        manager->on_function_ip_enter(Main, main_address, 0, FALSE);
        manager->on_function_ip_exit(Out, main_address, const_cast<char *>("main"), FALSE);
    }
}

static VOID CheckStack()
{
    CallStack stack;
    stack.push_head(100, 1);
    stack.process_call(80, 2);
    stack.process_call(60, 3);
    stack.process_return(60 - sizeof(ADDRINT), 0);
    EQUAL(stack.depth(), 2u);
    stack.process_call(90, 4); /* 2 was left without a return */
    EQUAL(stack.depth(), 2u);
    EQUAL(stack.top_target(), 4u);
    CallEntry entry(5, 6), empty;
    TRUE_(entry.sp() == 5 && entry.target() == 6 && !empty.sp() && !(entry == empty));
    CallStackHandlerParams params(In, "name", &stack, 7, TRUE);
    TRUE_(params._function_name == "name" && params._function_ip == 7 && params._use_ctxt);
}

static VOID Fini(INT32, VOID *)
{
    TRUE_(manager->NeedContext());
    TRUE_(!main_address || manager->TargetInteresting(main_address));
    FALSE_(manager->TargetInteresting(1));
    Checked("callstack", 6);
    std::fflush(stdout);
    dump_counts();
}

int main(int argc, char **argv)
{
    PIN_InitSymbols();
    begin(argc, argv);
    manager = CallStackManager::get_instance();
    IMG_AddInstrumentFunction(Image, 0);
    manager->activate();
    static const char *const names[] = {"hop", "last", "count", "jump_out", "toupper"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        manager->on_function_enter(In, names[i], const_cast<char *>(names[i]), TRUE);
        manager->on_function_exit(Out, names[i], const_cast<char *>(names[i]), TRUE);
    }
    manager->on_function_enter(Deep, "count", &main_address, FALSE);
    CheckStack();
    PIN_AddFiniFunction(Fini, 0);
    PIN_StartProgram();
}
