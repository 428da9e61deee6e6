/* SPDX-License-Identifier: Apache-2.0
 * What OS_* functions return: an OS_RETURN_CODE made from success and errno. No state. */
#ifndef LP_API_OS_CODE_H
#define LP_API_OS_CODE_H
#include "linchpin/os_apis.h"

#include <errno.h>

static inline OS_RETURN_CODE os_code(BOOL ok, OS_RETURN_CODE_GENERIC otherwise)
{
    OS_RETURN_CODE r = {ok ? OS_RETURN_CODE_NO_ERROR : otherwise, ok ? 0 : errno};
    return r;
}

#endif
