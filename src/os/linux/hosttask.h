/* SPDX-License-Identifier: Apache-2.0
 * The host libc's pthread_create, without what the engine does for threads of the tool. */
#ifndef LP_HOSTTASK_H
#define LP_HOSTTASK_H
#include "base/base.h"
#include <pthread.h>
int hosttask_libc_create(pthread_t *thread, const pthread_attr_t *attr, void *(*fn)(void *), void *arg);
/* A thread of the engine's own, set up as one of the tool is. It looks at the tool's counters only after a flush
 * (spread.h), so it does not change how they are kept. */
int hosttask_create(pthread_t *thread, const pthread_attr_t *attr, void *(*fn)(void *), void *arg);
#endif
