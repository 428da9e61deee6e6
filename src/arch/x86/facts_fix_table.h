/* SPDX-License-Identifier: Apache-2.0
 * Corrections of what Zydis says (facts_fix.c), a row for each. */
/* clang-format off: tables */
/* Extensions that differ. `mmx`: only the form on MMX registers. */
static const struct { u16 iclass; u16 extension; bool mmx; } extension_fixes[] = {
    { XED_ICLASS_PADDQ, XED_EXTENSION_MMX, true },
    { XED_ICLASS_PMULHUW, XED_EXTENSION_SSE, true },
    { XED_ICLASS_PMOVMSKB, XED_EXTENSION_SSE, true },
    { XED_ICLASS_WBNOINVD, XED_EXTENSION_WBNOINVD, false },
    { XED_ICLASS_TDPBUUD, XED_EXTENSION_AMX_TILE, false },
    { XED_ICLASS_TDPBUSD, XED_EXTENSION_AMX_TILE, false },
    { XED_ICLASS_TDPBSUD, XED_EXTENSION_AMX_TILE, false },
    { XED_ICLASS_TDPBSSD, XED_EXTENSION_AMX_TILE, false },
    { XED_ICLASS_TDPBF16PS, XED_EXTENSION_AMX_TILE, false },
};

/* Single operands that Zydis has wrong. */
enum fix { FIX_READ, FIX_WRITTEN, FIX_BITS };
static const struct operand_fix {
    u16 iclass;
    u8 operand;
    u8 fix;      /* enum fix */
    u16 bits;
} operand_fixes[] = {
    /* the other half of the register stays */
    { XED_ICLASS_MOVHPS, 0, FIX_READ, 0 },
    { XED_ICLASS_MOVLHPS, 0, FIX_READ, 0 },
    { XED_ICLASS_MOVHLPS, 0, FIX_READ, 0 },
    { XED_ICLASS_MOVHPD, 0, FIX_READ, 0 },
    { XED_ICLASS_MOVLPS, 0, FIX_READ, 0 },
    { XED_ICLASS_MOVLPD, 0, FIX_READ, 0 },
    { XED_ICLASS_CVTSS2SD, 0, FIX_READ, 0 },
    { XED_ICLASS_CVTSD2SS, 0, FIX_READ, 0 },
    { XED_ICLASS_CVTSI2SD, 0, FIX_READ, 0 },
    { XED_ICLASS_CVTSI2SS, 0, FIX_READ, 0 },
    { XED_ICLASS_CVTPI2PS, 0, FIX_READ, 0 },
    { XED_ICLASS_SQRTSD, 0, FIX_READ, 0 },
    { XED_ICLASS_SQRTSS, 0, FIX_READ, 0 },
    { XED_ICLASS_RCPSS, 0, FIX_READ, 0 },
    { XED_ICLASS_RSQRTSS, 0, FIX_READ, 0 },
    { XED_ICLASS_ROUNDSD, 0, FIX_READ, 0 },
    { XED_ICLASS_ROUNDSS, 0, FIX_READ, 0 },
    /* they write the flag that they add */
    { XED_ICLASS_ADCX, 2, FIX_WRITTEN, 0 },
    { XED_ICLASS_ADOX, 2, FIX_WRITTEN, 0 },
    { XED_ICLASS_CMC, 0, FIX_WRITTEN, 0 },
    { XED_ICLASS_PREFETCHWT1, 0, FIX_BITS, 512 },
};
