// SPDX-License-Identifier: Apache-2.0
// Java: hot loops for both compilers, threads, locks, exceptions, null checks that the VM takes as signals, garbage.
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

public class Threads {
    interface Shape { double area(); }
    record Square(double s) implements Shape { public double area() { return s * s; } }
    record Circle(double r) implements Shape { public double area() { return r * r * 3; } }

    static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

    static int nulls() {
        int caught = 0;
        for (int i = 0; i < 2000; i++) {
            String s = i % 2 == 0 ? null : "x";
            try { caught += s.length() * 0; } catch (NullPointerException e) { caught++; }
            try { caught += 10 / (i % 2); } catch (ArithmeticException e) { caught++; }
        }
        return caught;
    }

    static int deep(int n) { return 1 + deep(n + 1); }

    public static void main(String[] args) throws Exception {
        System.out.println(fib(27));
        double area = 0;
        for (int i = 0; i < 300000; i++) area += (i % 2 == 0 ? new Square(i % 10) : new Circle(i % 10)).area();
        System.out.println(area);
        System.out.println(nulls());
        try { deep(0); } catch (StackOverflowError e) { System.out.println("overflow"); }
        ExecutorService pool = Executors.newFixedThreadPool(4);
        AtomicLong sum = new AtomicLong();
        List<Future<Integer>> results = new ArrayList<>();
        for (int t = 0; t < 8; t++) {
            final int id = t;
            results.add(pool.submit(() -> { for (int i = 0; i < 20000; i++) sum.addAndGet(i % 5); return id * id; }));
        }
        int total = 0;
        for (Future<Integer> f : results) total += f.get();
        pool.shutdown();
        System.out.println(total + " " + sum.get());
        Map<String, Integer> map = new TreeMap<>();
        for (int i = 0; i < 100000; i++) map.merge("k" + i % 100, 1, Integer::sum);
        System.out.println(map.size() + " " + map.get("k42"));
        long hash = 0;
        for (int i = 0; i < 200; i++) { byte[] garbage = new byte[1 << 20]; garbage[i] = 1; hash += Arrays.hashCode(Arrays.copyOf(garbage, 300)); }
        System.out.println(hash);
    }
}
