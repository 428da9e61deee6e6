// SPDX-License-Identifier: Apache-2.0
// A guest for gdb: a program in Rust, with a panic that is caught in a thread.
use std::thread;

struct Shape {
    name: String,
    sides: u32,
}

#[inline(never)]
fn area(shape: &Shape) -> u32 {
    let twice = shape.sides * 2;
    twice + shape.name.len() as u32
}

#[inline(never)]
fn fails(n: u32) -> u32 {
    if n > 2 {
        panic!("too many: {}", n);
    }
    n
}

fn main() {
    let shapes: Vec<Shape> = (3..6).map(|n| Shape { name: format!("shape {}", n), sides: n }).collect();
    let mut total = 0;
    for shape in &shapes {
        total += area(shape);
    }
    std::panic::set_hook(Box::new(|_| println!("it panics")));
    let failed = thread::spawn(move || std::panic::catch_unwind(|| fails(total)).is_err()).join().unwrap();
    println!("{} {}", total, failed);
}
