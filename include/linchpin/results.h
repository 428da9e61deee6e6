/* SPDX-License-Identifier: Apache-2.0
 * Of Linchpin, not of Pin: a tool's results function is called whenever its results are wanted: at the end of the process, by exit or by a signal, before the program executes
 * another one, when the tool is taken out (linchpin detach), and in between (linchpin dump PID). It is called under the client lock. Only for LP_RESULTS_DUMP does the tool go on
 * afterwards; it also does after LP_RESULTS_EXEC if the kernel refuses to execute the program after all. Fini functions are for the first two only, as with Pin. */
#ifndef LINCHPIN_RESULTS_H
#define LINCHPIN_RESULTS_H
#include "types.h"

LP_BEGIN
#ifdef __cplusplus
extern "C" {
#endif

enum lp_results { LP_RESULTS_EXIT, LP_RESULTS_SIGNAL, LP_RESULTS_EXEC, LP_RESULTS_DETACH, LP_RESULTS_DUMP };

struct lp_results_info {
    UINT32 why;           /* enum lp_results */
    INT32 status;         /* exit status, or the signal's number */
    const CHAR *executed; /* the other program's path */
    BOOL followed;        /* the tool will be there, too, in a life of its own */
};

typedef VOID (*LP_RESULTS_CALLBACK)(const struct lp_results_info *info, VOID *v);

/* Before PIN_StartProgram. */
VOID *lp_add_results_function(LP_RESULTS_CALLBACK fun, VOID *v);
/* How many followed programs were executed on the way to this one: 0 in the one that the user has started. */
UINT32 lp_generation(void);

#ifdef __cplusplus
}
#endif
LP_END
#endif
