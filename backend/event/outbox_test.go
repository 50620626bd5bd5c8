package event

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// onTheWire is the name of an event's type in lower camel case: acpAgentsChanged for
// ACPAgentsChanged.
func onTheWire(name string) string {
	capitals := len(name) - len(strings.TrimLeft(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
	first := max(1, capitals-1) // the last capital begins the next word
	return strings.ToLower(name[:first]) + name[first:]
}

func TestCatalogNamesEveryEvent(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "event.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	inCatalog := map[string]bool{}
	for f := range reflect.TypeFor[Catalog]().Fields() {
		inCatalog[f.Type.Elem().Name()] = true
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if want := onTheWire(f.Name); name != want {
			t.Errorf("Catalog.%s is %q on the wire, want %q", f.Name, name, want)
		}
		if !f.Type.Implements(reflect.TypeFor[Event]()) {
			t.Errorf("Catalog.%s is no Event", f.Name)
		}
	}
	found := 0
	for _, d := range file.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Name.Name != "event" {
			continue
		}
		found++
		if name := fn.Recv.List[0].Type.(*ast.Ident).Name; !inCatalog[name] {
			t.Errorf("event %s is missing in Catalog", name)
		}
	}
	if found != len(inCatalog) {
		t.Errorf("%d events, %d in Catalog", found, len(inCatalog))
	}
}

func TestReadersGetEveryEventInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := NewOutbox(time.Now())
		start := o.Seq()
		const readers, events = 5, 3000
		var done sync.WaitGroup
		for range readers {
			done.Go(func() {
				since, got := start, 0
				for got < events {
					lines, err := o.Read(t.Context(), since)
					if err != nil {
						t.Error(err)
						return
					}
					for _, line := range lines {
						var e struct {
							Seq  uint64
							Type string
							Data Delta
						}
						if err := json.Unmarshal(line, &e); err != nil {
							t.Errorf("line %q: %v", line, err)
							return
						}
						if e.Seq != since+1 || e.Type != "delta" || e.Data.Text != fmt.Sprint(got) {
							t.Errorf("event %d: got seq %d, %s %q", since+1, e.Seq, e.Type, e.Data.Text)
							return
						}
						since, got = e.Seq, got+1
					}
				}
			})
		}
		for i := range events {
			o.Emit(Delta{Text: fmt.Sprint(i)})
		}
		done.Wait()
	})
}

func TestReadWaitsUntilTheContextEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := NewOutbox(time.Now())
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		lines, err := o.Read(ctx, o.Seq())
		if lines != nil || err != nil {
			t.Fatalf("got %q, %v", lines, err)
		}
	})
}

func TestGaps(t *testing.T) {
	o := NewOutbox(time.UnixMilli(1000))
	start := o.Seq()
	for _, since := range []uint64{0, start - 1, start + 1, 1 << 60} {
		if _, err := o.Read(t.Context(), since); err != ErrGap {
			t.Errorf("since %d: got %v, want a gap", since, err)
		}
	}
	for range keepEvents + 10 {
		o.Emit(Delta{})
	}
	if _, err := o.Read(t.Context(), start); err != ErrGap {
		t.Errorf("events were dropped, got %v", err)
	}
	lines, err := o.Read(t.Context(), start+10)
	if err != nil || len(lines) != keepEvents {
		t.Errorf("got %d lines, %v", len(lines), err)
	}
	big := strings.Repeat("x", 1<<20)
	for range 40 {
		o.Emit(Delta{Text: big})
	}
	if o.bytes > keepBytes {
		t.Errorf("%d bytes kept", o.bytes)
	}
	if lines, err = o.Read(t.Context(), o.Seq()-1); err != nil || !bytes.Contains(lines[0], []byte(big)) {
		t.Errorf("the newest event is gone: %v", err)
	}
}

func BenchmarkEmit(b *testing.B) {
	o := NewOutbox(time.Now())
	e := Delta{RunID: "r", Path: "a.mtm", Cell: "c", Text: "a token or two"}
	b.ReportAllocs()
	for b.Loop() {
		o.Emit(e)
	}
}
