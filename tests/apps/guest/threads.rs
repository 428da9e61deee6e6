// SPDX-License-Identifier: Apache-2.0
// Rust: threads, channels, panics that are caught, iterators, a hash map, stack probes.
use std::collections::{BTreeMap, HashMap};
use std::sync::{mpsc, Arc, Condvar, Mutex};
use std::thread;

fn deep(n: u64) -> u64 {
    let big = [n; 512];
    if n == 0 { 0 } else { 1 + deep(n - 1) + (big[17] - n) }
}

fn main() {
    let total = Arc::new(Mutex::new(0u64));
    let threads: Vec<_> = (0..8u64)
        .map(|id| {
            let total = Arc::clone(&total);
            thread::spawn(move || {
                for i in 0..5000 {
                    *total.lock().unwrap() += i % (id + 1);
                }
                id * id
            })
        })
        .collect();
    let ids: u64 = threads.into_iter().map(|t| t.join().unwrap()).sum();
    println!("{} {}", ids, total.lock().unwrap());
    let (tx, rx) = mpsc::channel();
    for id in 0..4 {
        let tx = tx.clone();
        thread::spawn(move || (0..1000).for_each(|i| tx.send(id * i).unwrap()));
    }
    drop(tx);
    println!("{}", rx.iter().sum::<i32>());
    std::panic::set_hook(Box::new(|_| {}));
    let caught = (0..100).filter(|&i| std::panic::catch_unwind(|| if i % 3 == 0 { panic!("no") }).is_err()).count();
    println!("caught {} {}", caught, thread::spawn(|| { let v: Vec<i32> = vec![]; v[3] }).join().is_err());
    let mut words: HashMap<String, usize> = HashMap::new();
    for i in 0..50000 {
        *words.entry(format!("w{}", i * 7919 % 301)).or_default() += i;
    }
    let sorted: BTreeMap<_, _> = words.into_iter().collect();
    println!("{:?} {}", sorted.iter().next().unwrap(), sorted.len());
    let pair = Arc::new((Mutex::new(false), Condvar::new()));
    let other = Arc::clone(&pair);
    let waiter = thread::spawn(move || {
        let mut ready = other.0.lock().unwrap();
        while !*ready {
            ready = other.1.wait(ready).unwrap();
        }
    });
    *pair.0.lock().unwrap() = true;
    pair.1.notify_all();
    waiter.join().unwrap();
    println!("{} {:.6}", deep(1000), (1..100000).map(|x| (x as f64).sin()).sum::<f64>());
}
