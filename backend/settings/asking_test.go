package settings

import (
	"context"
	"testing"
	"time"
)

// While the models of a new provider are being asked for, a run waits for them; with another model
// to ask, or when nothing is asked, it does not.
func TestAwaitModels(t *testing.T) {
	s, err := Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s.SetBuiltIn("http://127.0.0.1:1", "k", []ModelView{{ID: "guide"}})
	waited := func(most time.Duration) bool {
		start := time.Now()
		s.AwaitModels(t.Context(), most)
		return time.Since(start) >= most
	}
	if waited(time.Minute) {
		t.Error("it waits although nobody is asked")
	}
	first, second := s.AskingModels(), s.AskingModels()
	if !waited(10 * time.Millisecond) {
		t.Error("it does not wait")
	}
	over := make(chan struct{})
	go func() { s.AwaitModels(t.Context(), time.Minute); close(over) }()
	first()
	select {
	case <-over:
		t.Error("it does not wait for the second answer")
	case <-time.After(20 * time.Millisecond):
	}
	second()
	<-over
	defer s.AskingModels()()
	ended, stop := context.WithCancel(t.Context())
	stop()
	s.AwaitModels(ended, time.Minute)
	if _, err := s.SaveProvider(ProviderInput{Name: "Mine", BaseURL: "http://127.0.0.1:2/v1", Models: []ModelView{{ID: "m"}}}); err != nil {
		t.Fatal(err)
	}
	if waited(time.Minute) {
		t.Error("it waits although another provider can be asked")
	}
}
