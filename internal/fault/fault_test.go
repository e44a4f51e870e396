package fault_test

import (
	"errors"
	"fmt"
	"testing"

	"skillforge/internal/fault"
)

func TestFaultIsFoundThroughWrapping(t *testing.T) {
	cause := errors.New("disk on fire")
	f := fault.Coded(fault.Conflict, "db-drift", "the database is of another version; run `sm scan`").Because(cause).With("key", "k")
	err := fmt.Errorf("open the map: %w", f)
	if got := fault.Of(err); got != fault.Conflict {
		t.Errorf("Of = %v, want conflict", got)
	}
	if got := fault.Code(err); got != "db-drift" {
		t.Errorf("Code = %q, want db-drift", got)
	}
	if got := fault.Text(err); got != "the database is of another version; run `sm scan`" {
		t.Errorf("Text = %q", got)
	}
	if fault.Details(err)["key"] != "k" {
		t.Errorf("Details = %v", fault.Details(err))
	}
	if !errors.Is(err, cause) {
		t.Error("the cause is lost to the operator")
	}
}

func TestErrorWithoutFaultSaysNothing(t *testing.T) {
	err := errors.New("password=hunter2")
	if fault.Of(err) != fault.Internal || fault.Text(err) != "internal error" || fault.Code(err) != "internal" {
		t.Errorf("a bare error reads %v %q %q, want internal", fault.Of(err), fault.Text(err), fault.Code(err))
	}
}
