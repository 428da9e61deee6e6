/* SPDX-License-Identifier: Apache-2.0
 * The condition codes of the encoding (bridge_args.c), by enum fact_predicate. */
/* clang-format off: a table */
static const u8 condition_codes[] = {
    [FACT_PREDICATE_O] = 0, [FACT_PREDICATE_NO] = 1, [FACT_PREDICATE_B] = 2, [FACT_PREDICATE_NB] = 3,
    [FACT_PREDICATE_Z] = 4, [FACT_PREDICATE_NZ] = 5, [FACT_PREDICATE_BE] = 6,
    [FACT_PREDICATE_NBE] = 7, [FACT_PREDICATE_S] = 8, [FACT_PREDICATE_NS] = 9, [FACT_PREDICATE_P] = 10,
    [FACT_PREDICATE_NP] = 11, [FACT_PREDICATE_L] = 12, [FACT_PREDICATE_NL] = 13,
    [FACT_PREDICATE_LE] = 14, [FACT_PREDICATE_NLE] = 15,
};
