// SPDX-License-Identifier: Apache-2.0
// Go: goroutines, channels, select, a mutex, panics, nil dereferences taken as signals, maps, preemption of a busy loop.
package main

import (
	"crypto/sha256"
	"fmt"
	"runtime"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

type shape interface{ area() float64 }
type square float64
type circle float64

func (s square) area() float64 { return float64(s) * float64(s) }
func (c circle) area() float64 { return float64(c) * float64(c) * 3 }

func nilFault() (text string) {
	defer func() { text = fmt.Sprint(recover()) }()
	var p *[4]int
	p[2]++
	return ""
}

func pipeline(n int) int {
	in, out := make(chan int), make(chan int)
	var wg sync.WaitGroup
	for w := 0; w < 8; w++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for v := range in {
				out <- v * v
			}
		}()
	}
	go func() {
		for i := 0; i < n; i++ {
			in <- i
		}
		close(in)
		wg.Wait()
		close(out)
	}()
	sum := 0
	for v := range out {
		sum += v
	}
	return sum
}

func busy(stop *int32) {
	for atomic.LoadInt32(stop) == 0 {
	}
}

func deep(n int) int {
	if n == 0 {
		return 0
	}
	var pad [64]int
	pad[n%64] = n
	return deep(n-1) + pad[n%64] - n + 1
}

func main() {
	fmt.Println(pipeline(5000))
	fmt.Println(nilFault())
	total := 0.0
	for i, s := range []shape{square(2), circle(3), square(4)} {
		total += s.area() * float64(i+1)
	}
	fmt.Println(total, deep(20000))
	var stop int32
	go busy(&stop)
	timer := time.After(50 * time.Millisecond)
	<-timer
	runtime.GC()
	atomic.StoreInt32(&stop, 1)
	m := map[string]int{}
	for i := 0; i < 50000; i++ {
		m[fmt.Sprintf("k%d", i%500)] += i
	}
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	fmt.Printf("%d %s %x\n", len(keys), keys[7], sha256.Sum256([]byte(strings.Join(keys, ","))))
	for i := 0; i < 1000; i++ {
		go func() { _ = make([]byte, 10000) }()
	}
	runtime.Gosched()
	fmt.Println("done")
}
