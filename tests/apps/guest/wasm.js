// SPDX-License-Identifier: Apache-2.0
// A WebAssembly module made by hand: (func (export "sum") (param i32) (result i32)) adds n, n-1, ... 1; and a memory fault, which the
// virtual machine takes as a signal and turns into an exception.
'use strict';
const section = (id, bytes) => [id, bytes.length, ...bytes];
const name = text => [text.length, ...Buffer.from(text)];
const sum = [1, 1, 127, 3, 64, 32, 1, 32, 0, 106, 33, 1, 32, 0, 65, 1, 107, 34, 0, 13, 0, 11, 32, 1, 11];
const load = [0, 32, 0, 40, 2, 0, 11];
const bytes = new Uint8Array([
  0, 97, 115, 109, 1, 0, 0, 0,
  ...section(1, [1, 96, 1, 127, 1, 127]),  // the type i32 -> i32
  ...section(3, [2, 0, 0]),  // two functions of it
  ...section(5, [1, 0, 1]),  // a memory of one page
  ...section(7, [2, ...name('sum'), 0, 0, ...name('load'), 0, 1]),
  ...section(10, [2, sum.length, ...sum, load.length, ...load]),
]);
const { exports } = new WebAssembly.Instance(new WebAssembly.Module(bytes));
console.log(exports.sum(100), exports.sum(3000000) | 0, exports.load(8));
let traps = 0;
for (let i = 0; i < 50; i++) try { exports.load(0x10000 * (i + 2)); } catch (e) { traps += e instanceof WebAssembly.RuntimeError; }
console.log(traps);
