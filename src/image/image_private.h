/* SPDX-License-Identifier: Apache-2.0
 * What the files of src/image share with each other and with no other folder. Under image_lock. */
#ifndef LP_IMAGE_PRIVATE_H
#define LP_IMAGE_PRIVATE_H
#include "image/image.h"

void image_free(struct image *im);                  /* handles go invalid */
void handles_forget(struct image *im);              /* handles.c */
void notify_later(struct image *im, bool loaded);   /* notify.c; image_lock held */

#endif
