/* SPDX-License-Identifier: Apache-2.0
 * struct ustat of the system call of that name, which glibc no longer declares. */
#ifndef USTAT_H
#define USTAT_H
#include <sys/types.h>

struct ustat {
    int f_tfree;
    ino_t f_tinode;
    char f_fname[6];
    char f_fpack[6];
};

#endif
