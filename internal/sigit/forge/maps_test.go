package forge

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"testing"

	"skillforge/internal/fault"
	"skillforge/internal/skillmap"
)

func TestWhoLeavesIsFollowedByTheNext(t *testing.T) {
	m := newMaps()
	first, leave := context.WithCancel(context.Background())
	begun := make(chan struct{})
	var wait sync.WaitGroup
	wait.Go(func() {
		_, err := m.get(first, mapKey{commit: "a"}, func(ctx context.Context) (*Map, error) {
			close(begun)
			<-ctx.Done()
			return nil, ctx.Err()
		})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("who left gets %v", err)
		}
	})
	<-begun
	wait.Go(func() {
		got, err := m.get(context.Background(), mapKey{commit: "a"}, func(context.Context) (*Map, error) {
			return &Map{Commit: "a", Result: &skillmap.ScanResult{}}, nil
		})
		if err != nil || got.Commit != "a" {
			t.Errorf("who waited gets %v (%v)", got, err)
		}
	})
	leave()
	wait.Wait()
}

func TestTooManyAreToldToComeBack(t *testing.T) {
	m := newMaps()
	stop := make(chan struct{})
	var wait sync.WaitGroup
	var begun sync.WaitGroup
	begun.Add(mapsAtOnce)
	slow := func(context.Context) (*Map, error) {
		begun.Done()
		<-stop
		return &Map{Result: &skillmap.ScanResult{}}, nil
	}
	quick := func(context.Context) (*Map, error) { return &Map{Result: &skillmap.ScanResult{}}, nil }
	ask := func(i int, make func(context.Context) (*Map, error)) error {
		_, err := m.get(context.Background(), mapKey{repo: int64(i)}, make)
		return err
	}
	for i := range mapsAtOnce {
		wait.Go(func() {
			if err := ask(i, slow); err != nil {
				t.Error(err)
			}
		})
	}
	begun.Wait()
	for i := mapsAtOnce; i < mapsAsked; i++ {
		if _, mine, err := m.slot(mapKey{repo: int64(i)}); !mine || err != nil {
			t.Fatalf("the place %d is taken (%v)", i, err)
		}
	}
	if err := ask(mapsAsked, quick); fault.Of(err) != fault.Busy {
		t.Errorf("one more gets %v, want busy", err)
	}
	close(stop)
	wait.Wait()
}

func TestMapsAreForgottenByUseAndWeight(t *testing.T) {
	m := newMaps()
	add := func(i, nodes int) {
		t.Helper()
		if _, err := m.get(context.Background(), mapKey{commit: strconv.Itoa(i)}, func(context.Context) (*Map, error) {
			return &Map{Result: &skillmap.ScanResult{Nodes: make([]skillmap.Node, nodes)}}, nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	has := func(i int) bool { _, ok := m.known(mapKey{commit: strconv.Itoa(i)}); return ok }
	add(0, 1)
	for i := 1; i < mapsKept; i++ {
		add(i, 1)
	}
	if !has(0) { // and it is used now
		t.Fatal("a map is forgotten while there is room")
	}
	add(mapsKept, 1)
	if !has(0) || has(1) {
		t.Error("not the one that was unused for longest is forgotten")
	}
	add(1000, mapsWeight/1500)
	if !has(1000) || has(0) || m.weight > mapsWeight+(1<<20) {
		t.Errorf("a heavy one leaves %d bytes", m.weight)
	}
	add(1001, 1)
	if !has(1001) || has(1000) {
		t.Error("one that is too heavy for all others stays")
	}
	if _, err := m.get(context.Background(), mapKey{commit: "bad"}, func(context.Context) (*Map, error) { return nil, errors.New("disk") }); err == nil {
		t.Error("a fault is lost")
	}
	if _, ok := m.all[mapKey{commit: "bad"}]; ok {
		t.Error("a fault that may pass is remembered")
	}
}
