package scan

import (
	"context"
	"testing"
	"testing/fstest"
)

// Whatever the bytes of a record, the answer comes without a fault.
func FuzzRecord(f *testing.F) {
	tree := fstest.MapFS{"a.md": {Data: []byte("[x](x.json)")}, "sub/b.md": {Data: []byte("B")}, "a.sm": {}}
	roots := []Root{{Name: ".", FS: tree}}
	_, c, err := Run(context.Background(), roots, Options{}, nil)
	if err != nil {
		f.Fatal(err)
	}
	record := c.Record()
	f.Add(record)
	f.Add(record[:len(record)/2])
	f.Fuzz(func(t *testing.T, b []byte) {
		if _, err := Unchanged(context.Background(), roots, Options{}, b); err != nil {
			t.Fatal(err)
		}
	})
	if same, err := Unchanged(context.Background(), roots, Options{}, record); err != nil || !same {
		f.Fatalf("the record itself: %v, %v", same, err)
	}
}
