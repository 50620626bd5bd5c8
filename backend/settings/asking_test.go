package settings

import (
	"context"
	"testing"
	"time"
)

func TestAsking(t *testing.T) {
	var a Asking
	a.Wait(t.Context(), time.Hour) // nobody is asked
	if a.Busy() {
		t.Error("nobody is asked, and it is busy")
	}
	first, second := a.Begin(), a.Begin()
	start := time.Now()
	if a.Wait(t.Context(), 10*time.Millisecond); time.Since(start) < 10*time.Millisecond {
		t.Error("it does not wait")
	}
	over := make(chan struct{})
	go func() { a.Wait(t.Context(), time.Hour); close(over) }()
	first()
	select {
	case <-over:
		t.Error("it does not wait for the second answer")
	case <-time.After(20 * time.Millisecond):
	}
	if !a.Busy() {
		t.Error("the second one is being asked, and it is not busy")
	}
	second()
	<-over
	a.Wait(t.Context(), time.Hour)
	defer a.Begin()()
	ended, stop := context.WithCancel(t.Context())
	stop()
	a.Wait(ended, time.Hour)
}
