/* SPDX-License-Identifier: Apache-2.0
 * What the files of src/image share with each other and with no other folder. Under image_lock. */
#ifndef LP_IMAGE_PRIVATE_H
#define LP_IMAGE_PRIVATE_H
#include "image/image.h"

void image_free(struct image *im);                  /* handles go invalid */
void handles_forget(struct image *im);              /* handles.c */
void notify_later(struct image *im, bool loaded);   /* notify.c; image_lock held */

/* --- names.c ------------------------------------------------------------------------------------------------------ */
/* What the kernel calls the file of a mapping (PATH_MAX bytes), "": it has no name. */
void names_find(const struct gmap_area *a, int fd, char *path);
/* path: the kernel's name of f, loaded at `bias`; becomes the name by which its loader has opened it. opened: by which
 * path the thread has opened it that has mapped it, NULL: not known. */
void names_as_opened(struct elffile *f, u64 bias, const char *opened, char *path);
void names_interpreter(struct image *im); /* of the program, which is loaded already */

#endif
