/* SPDX-License-Identifier: Apache-2.0
 * The host libc's pthread_create, without what the engine does for threads of the tool. */
#ifndef LP_HOSTTASK_H
#define LP_HOSTTASK_H
#include "base/base.h"
#include <pthread.h>
int hosttask_libc_create(pthread_t *thread, const pthread_attr_t *attr, void *(*fn)(void *), void *arg);
#endif
