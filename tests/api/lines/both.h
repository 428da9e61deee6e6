/* SPDX-License-Identifier: Apache-2.0 */
static inline __attribute__((always_inline)) int both(int x)
{
    int y = x * x;
    if (y > 50)
        y -= 7;
    return y;
}
