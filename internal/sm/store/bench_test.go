//go:build unix

package store_test

import (
	"context"
	"strconv"
	"syscall"
	"testing"

	"skillforge/internal/sm/store"
)

// cpu is the processor time this process has used, in milliseconds. On a busy
// machine it says more than the clock.
func cpu() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e6
}

func measure(b *testing.B, once func(i int)) {
	b.Helper()
	start, i := cpu(), 0
	for b.Loop() {
		once(i)
		i++
	}
	b.ReportMetric((cpu()-start)/float64(b.N), "cpu-ms/op")
}

const many = 10000

func BenchmarkSaveFirst(b *testing.B) {
	m := &store.Map{Result: world(many), Cache: pieces(string(make([]byte, 4<<20))), Record: make([]byte, 400<<10)}
	measure(b, func(int) {
		s := open(b, path(b), store.Scanning)
		save(b, s, m)
	})
}

func BenchmarkSaveUnchanged(b *testing.B) {
	s := open(b, path(b), store.Scanning)
	m := &store.Map{Result: world(many), Cache: pieces(string(make([]byte, 4<<20))), Record: make([]byte, 400<<10)}
	save(b, s, m)
	measure(b, func(int) { save(b, s, m) })
}

func BenchmarkSaveOneChanged(b *testing.B) {
	s := open(b, path(b), store.Scanning)
	m := &store.Map{Result: world(many), Cache: pieces(string(make([]byte, 4<<20))), Record: make([]byte, 400<<10)}
	save(b, s, m)
	measure(b, func(i int) {
		m.Result.Nodes[77].Bytes.Body = i
		save(b, s, m)
	})
}

func BenchmarkSaveAnew(b *testing.B) {
	s := open(b, path(b), store.Scanning)
	m := &store.Map{Result: world(many), Cache: pieces(string(make([]byte, 4<<20))), Record: make([]byte, 400<<10), Anew: true}
	save(b, s, m)
	measure(b, func(int) { save(b, s, m) })
}

// BenchmarkTouch is what a scan that finds nothing changed asks of the store.
func BenchmarkTouch(b *testing.B) {
	p := path(b)
	save(b, open(b, p, store.Scanning), &store.Map{Result: world(many), Record: make([]byte, 400<<10)})
	measure(b, func(i int) {
		s, err := store.Open(context.Background(), p, store.Scanning, store.Options{})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := s.Record(context.Background()); err != nil {
			b.Fatal(err)
		}
		if _, _, ok, err := s.Touch(context.Background(), int64(i), 1); !ok || err != nil {
			b.Fatal(ok, err)
		}
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
	})
}

func BenchmarkLoad(b *testing.B) {
	for _, n := range []int{1000, 10000, 100000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			s := open(b, path(b), store.Scanning)
			save(b, s, &store.Map{Result: world(n)})
			measure(b, func(int) {
				if _, _, err := s.Load(context.Background()); err != nil {
					b.Fatal(err)
				}
			})
		})
	}
}

func BenchmarkBundle(b *testing.B) {
	s := open(b, path(b), store.Scanning)
	save(b, s, &store.Map{Result: world(many)})
	measure(b, func(i int) {
		err := s.Read(context.Background(), func(tx *store.Tx) error {
			_, err := tx.Bundle(context.Background(), pathOf(i%many))
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
	})
}
