package settings

import (
	"os"
	"strings"
	"testing"

	"mutsumi/backend/fault"
)

func TestWireOfAProvider(t *testing.T) {
	s := store(t, "")
	save := func(in ProviderInput) string {
		t.Helper()
		id, err := s.SaveProvider(in)
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	of := func(id string) Wire {
		t.Helper()
		e, err := s.Resolve(id, "m")
		if err != nil {
			t.Fatal(err)
		}
		return e.Wire
	}
	id := save(ProviderInput{Name: "A", BaseURL: "https://a.example/v1", Wire: WireAnthropic})
	if of(id) != WireAnthropic {
		t.Errorf("saved as %q", of(id))
	}
	save(ProviderInput{ID: id, Name: "B", BaseURL: "https://a.example/v1"})
	if of(id) != WireAnthropic {
		t.Errorf("a change of the name made it %q", of(id))
	}
	save(ProviderInput{ID: id, Name: "B", BaseURL: "https://a.example/v1", Wire: WireChat})
	if raw, err := os.ReadFile(s.path); of(id) != "" || err != nil || strings.Contains(string(raw), "wire") {
		t.Errorf("%q, %v: %s", of(id), err, raw)
	}
	if _, err := s.SaveProvider(ProviderInput{Name: "C", BaseURL: "https://c.example/v1", Wire: "soap"}); !fault.Is(err, fault.Invalid) {
		t.Errorf("%v", err)
	}
}

func TestUnknownWireInTheFile(t *testing.T) {
	_, _, err := parse([]byte("providers:\n  - id: a\n    baseUrl: https://a.example/v1\n    wire: soap\n"))
	if err == nil || !strings.Contains(err.Error(), "line 2") || !strings.Contains(err.Error(), `not "soap"`) {
		t.Error(err)
	}
}
