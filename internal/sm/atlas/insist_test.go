package atlas

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"skillforge/internal/fault"
)

func TestInsist(t *testing.T) {
	busy, other := fault.Coded(fault.Busy, "db-busy", "Busy."), errors.New("other")
	synctest.Test(t, func(t *testing.T) {
		tries := 0
		after := func(n int, last error) func() error {
			tries = 0
			return func() error {
				tries++
				time.Sleep(5 * time.Second) // as SQLite waits
				if tries > n {
					return last
				}
				return busy
			}
		}
		if err := insist(t.Context(), after(3, nil)); err != nil || tries != 4 {
			t.Errorf("busy for a while: %d tries, %v", tries, err)
		}
		if err := insist(t.Context(), after(0, other)); !errors.Is(err, other) || tries != 1 {
			t.Errorf("another error: %d tries, %v", tries, err)
		}
		if err := insist(t.Context(), after(1000, nil)); fault.Code(err) != "db-busy" || tries > 14 {
			t.Errorf("busy for ever: %d tries, %v", tries, err)
		}
		ctx, leave := context.WithTimeout(t.Context(), 7*time.Second)
		defer leave()
		if err := insist(ctx, after(1000, nil)); err == nil || tries > 2 {
			t.Errorf("the client left: %d tries, %v", tries, err)
		}
	})
}

func TestBreath(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b breath
		paused := func(every time.Duration) (n int) {
			for range 400 {
				began := time.Now()
				b.take(t.Context())
				if time.Since(began) > 0 {
					n++
				}
				time.Sleep(every)
			}
			return n
		}
		if n := paused(50 * time.Millisecond); n != 0 {
			t.Errorf("%d pauses though the database is free in between", n)
		}
		if n := paused(10 * time.Millisecond); n != 3 {
			t.Errorf("%d pauses in four seconds without end", n)
		}
	})
}
