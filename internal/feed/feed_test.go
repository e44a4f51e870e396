package feed_test

import (
	"testing"

	"skillforge/internal/feed"
)

func TestEveryListenerHearsInOrder(t *testing.T) {
	var f feed.Feed[int]
	a, endA := f.Listen(4)
	b, endB := f.Listen(4)
	defer endB()
	f.Publish(1)
	f.Publish(2)
	endA()
	f.Publish(3)
	for _, want := range []int{1, 2} {
		if got := <-a; got != want {
			t.Errorf("a heard %d, want %d", got, want)
		}
	}
	if _, open := <-a; open {
		t.Error("a still hears after its end")
	}
	for _, want := range []int{1, 2, 3} {
		if got := <-b; got != want {
			t.Errorf("b heard %d, want %d", got, want)
		}
	}
}

func TestSlowListenerIsCutNotWaitedFor(t *testing.T) {
	var f feed.Feed[int]
	slow, end := f.Listen(1)
	f.Publish(1)
	f.Publish(2)
	if got := <-slow; got != 1 {
		t.Errorf("heard %d, want 1", got)
	}
	if _, open := <-slow; open {
		t.Error("the channel of a slow listener stays open")
	}
	end() // ending twice is harmless
	f.Publish(3)
}
