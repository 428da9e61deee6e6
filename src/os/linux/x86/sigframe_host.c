/* SPDX-License-Identifier: Apache-2.0
 * The registers in the kernel's frame of a fault in host code, as a context for the tool's handler, and back. In the
 * signal handler; no state. */
#include "context.h"
#include "os/linux/sigframe.h"

#include <string.h>

#define XS_SOFTWARE 464 /* of the image: the kernel's own bytes */
#define XS_LEGACY_BYTES 512

static const u8 order[16] = {R8, R9, R10, R11, R12, R13, R14, R15, RDI, RSI, RBP, RBX, RDX, RAX, RCX, RSP};

static u32 image_bytes(const struct sigframe *f)
{
    u32 bytes;
    memcpy(&bytes, (const u8 *)f->fpstate + XS_SOFTWARE + 16, sizeof bytes); /* xstate_size */
    return bytes > XSAVE_MAX_BYTES ? XS_LEGACY_BYTES : bytes;
}

void os_frame_read(const struct sigframe *f, struct bridge_state *s)
{
    for (u32 i = 0; i < ARRAY_LEN(order); i++)
        s->gpr[order[i]] = f->greg[i];
    s->pc = f->greg[GREG_IP];
    s->flags = f->greg[GREG_FLAGS];
    s->fs_base = __builtin_ia32_rdfsbase64();
    s->gs_base = __builtin_ia32_rdgsbase64();
    memcpy(s->xsave, (const u8 *)f->fpstate, image_bytes(f));
}

void os_frame_write(struct sigframe *f, const struct bridge_state *s)
{
    u8 *image = (u8 *)f->fpstate;
    for (u32 i = 0; i < ARRAY_LEN(order); i++)
        f->greg[i] = s->gpr[order[i]];
    f->greg[GREG_IP] = s->pc;
    f->greg[GREG_FLAGS] = s->flags;
    memcpy(image, s->xsave, XS_SOFTWARE);
    memcpy(image + XS_LEGACY_BYTES, s->xsave + XS_LEGACY_BYTES, image_bytes(f) - XS_LEGACY_BYTES);
}
