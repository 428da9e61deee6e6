// SPDX-License-Identifier: Apache-2.0
// Work for a JIT compiler: hot loops, type changes that throw optimised code away, classes, closures, regular expressions,
// typed arrays, generators, exceptions, promises.
'use strict';
const fib = n => n < 2 ? n : fib(n - 1) + fib(n - 2);
console.log(fib(24));
function add(a, b) { return a + b; }
let total = 0;
for (let i = 0; i < 300000; i++) total = add(total, i) % 1000003;
console.log(total, add('a', 1), add(1.5, 2.25), add([1], {}));  // types never seen: deoptimised
for (let i = 0; i < 300000; i++) total = add(total, i * 0.5);
console.log(total);
class A { get v() { return 1; } m() { return this.v; } }
class B extends A { get v() { return 2; } }
class C extends A { m() { return super.m() + 10; } }
let sum = 0;
for (let i = 0; i < 200000; i++) sum += [new A(), new B(), new C()][i % 3].m();
console.log(sum);
const f = new Float64Array(10000).map((_, i) => Math.sin(i));
console.log(f.reduce((a, b) => a + b * b, 0).toFixed(6));
console.log('x1y22z333'.replace(/[0-9]+/g, m => m.length), /(a+)+b/.test('a'.repeat(18) + 'c'));
function* gen(n) { for (let i = 0; i < n; i++) yield i * i; }
console.log([...gen(1000)].length, JSON.stringify({ a: [1, { b: 'é' }] }), 2n ** 200n);
let caught = 0;
for (let i = 0; i < 5000; i++) try { if (i % 2) throw new Error(i); null.x; } catch (e) { caught += e instanceof TypeError ? 2 : 1; }
console.log(caught);
for (let i = 0; i < 200; i++) sum += new Function('x', `return x * ${i} + 1`)(i);  // code made at run time
console.log(sum);
const m = new Map();
for (let i = 0; i < 50000; i++) m.set('k' + i % 1000, (m.get('k' + i % 1000) || 0) + i);
console.log(m.get('k7'), require('crypto').createHash('sha256').update('linchpin').digest('hex'));
Promise.all([...Array(100).keys()].map(i => new Promise(r => setTimeout(r, i % 5, i)))).then(v => console.log(v.reduce((a, b) => a + b)));
