// SPDX-License-Identifier: Apache-2.0
// Worker threads that share memory, and child processes.
'use strict';
const { Worker, isMainThread, workerData, parentPort } = require('worker_threads');
if (isMainThread) {
  const shared = new SharedArrayBuffer(8);
  const cell = new Int32Array(shared);
  const workers = [...Array(4).keys()].map(id => new Promise((done, fail) => {
    const w = new Worker(__filename, { workerData: { id, shared } });
    w.on('message', done);
    w.on('error', fail);
  }));
  Promise.all(workers).then(sums => {
    console.log(sums.join(' '), Atomics.load(cell, 0));
    console.log(require('child_process').execSync('echo child').toString().trim());
  });
} else {
  const cell = new Int32Array(workerData.shared);
  let s = 0;
  for (let i = 0; i < 100000; i++) { s = (s * 31 + i + workerData.id) % 1000003; Atomics.add(cell, 0, 1); }
  parentPort.postMessage(s);
}
