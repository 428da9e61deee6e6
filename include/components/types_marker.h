/* SPDX-License-Identifier: Apache-2.0
 * Included by headers of Pin's kit before the types; there is nothing to mark. */
