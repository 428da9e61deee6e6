// SPDX-License-Identifier: Apache-2.0
// A function that is chosen when the program starts, C++ names, and code that no symbol covers.
int pick_slow(int x);
int pick_fast(int x);
int __attribute__((noinline)) pick_slow(int x) { return x + 1; }
int __attribute__((noinline)) pick_fast(int x) { return x + 2; }

typedef int function(int);
function *choose(void);
function *choose(void) { return pick_fast; }
int pick(int x) __attribute__((ifunc("choose")));

int _ZN5space4nameEPKc(const char *p);
int __attribute__((noinline)) _ZN5space4nameEPKc(const char *p) { return *p; }

int main(void) { return pick(1) == 3 && _ZN5space4nameEPKc("a") == 'a' ? 0 : 1; }
//> routines
//= routines: right
//> instlib only=pick_fast
//= instlib: right
//> symbolmode
//= main: a function
//= pick_fast: a function
//= choose: chosen at the start
//= pick: chosen at the start
//= none: not there
