package main

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"mutsumi/backend/fault"
)

// The types that cross to the interface can be translated to TypeScript and mean the same on both
// sides.
func TestWireIsSafe(t *testing.T) {
	seen := map[reflect.Type]bool{}
	app := reflect.TypeFor[*App]()
	for i := range app.NumMethod() {
		m := app.Method(i)
		for j := 1; j < m.Type.NumIn(); j++ {
			walk(t, m.Name, m.Type.In(j), seen, nil)
		}
		for j := range m.Type.NumOut() {
			walk(t, m.Name, m.Type.Out(j), seen, nil)
		}
		if m.Type.NumOut() > 2 {
			t.Errorf("%s: more than a result and an error", m.Name)
		}
	}
	if len(seen) < 30 {
		t.Errorf("walked %d types", len(seen))
	}
}

var forbidden = []reflect.Type{reflect.TypeFor[time.Time](), reflect.TypeFor[[]byte](), reflect.TypeFor[json.RawMessage](), reflect.TypeFor[time.Duration]()}

func walk(t *testing.T, where string, typ reflect.Type, seen map[reflect.Type]bool, above []reflect.Type) {
	for _, bad := range forbidden {
		if typ == bad {
			t.Errorf("%s holds a %s", where, bad)
			return
		}
	}
	for _, a := range above {
		if a == typ {
			t.Errorf("%s: %s contains itself", where, typ)
			return
		}
	}
	if typ == reflect.TypeFor[error]() || seen[typ] {
		return
	}
	switch typ.Kind() {
	case reflect.Pointer, reflect.Slice:
		walk(t, where, typ.Elem(), seen, above)
	case reflect.Map:
		walk(t, where, typ.Elem(), seen, above)
		if typ.Key().Kind() != reflect.String {
			t.Errorf("%s: a map whose keys are not strings", where)
		}
	case reflect.Struct:
		for f := range typ.Fields() {
			if !f.IsExported() {
				continue
			}
			if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); (name == "" || name == "-") && !f.Anonymous { // an embedded struct contributes its fields
				t.Errorf("%s.%s has no name on the wire", typ, f.Name)
			}
			walk(t, typ.String()+"."+f.Name, f.Type, seen, append(above, typ))
		}
		seen[typ] = true
	case reflect.Interface, reflect.Func, reflect.Chan, reflect.Complex128:
		t.Errorf("%s: a %s cannot cross", where, typ.Kind())
	}
}

func TestExternalLinks(t *testing.T) {
	for _, link := range []string{"https://example.org/a?b=c#d", "http://localhost:8080/", "mailto:a@example.org"} {
		if got, err := externalLink(link); err != nil || got != link {
			t.Errorf("%s: got %q, %v", link, got, err)
		}
	}
	for _, link := range []string{"file:///etc/passwd", "javascript:alert(1)", "data:text/html,x", "smb://host/x", "/etc", "", "\x00", "vbscript:x", "ms-settings:", "HTTPS"} {
		if got, err := externalLink(link); !fault.Is(err, fault.Denied) {
			t.Errorf("%q: got %q, %v; want a refusal", link, got, err)
		}
	}
}

func TestRecovered(t *testing.T) {
	f := func() (err error) {
		defer recovered(&err)
		panic("boom")
	}
	if err := f(); err == nil || !strings.Contains(err.Error(), "boom") || errors.Unwrap(err) != nil {
		t.Errorf("got %v", err)
	}
}

// asked is a desktop whose person answers the dialog with a given path.
type asked struct {
	headless
	offered, path string
}

func (d *asked) chooseFile(name string) (string, error) {
	d.offered = name
	return d.path, nil
}

// A text is saved where the person says, and nowhere else.
func TestSaveText(t *testing.T) {
	dir := t.TempDir()
	d := &asked{path: filepath.Join(dir, "mine.go")}
	a := &App{desktop: d}
	if err := a.SaveText("../../etc/code.go", "x := 1\n"); err != nil {
		t.Fatal(err)
	}
	if d.offered != "code.go" {
		t.Errorf("offered %q", d.offered)
	}
	if got, err := os.ReadFile(d.path); err != nil || string(got) != "x := 1\n" {
		t.Errorf("got %q, %v", got, err)
	}
	d.path = ""
	if err := a.SaveText("code.go", "y"); err != nil {
		t.Fatal(err)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("got %v, want one file", entries)
	}
	d.path = filepath.Join(dir, "no", "such", "folder")
	if err := a.SaveText("code.go", "y"); err == nil {
		t.Error("no error for a file that could not be written")
	}
	if err := (&App{desktop: headless{}}).SaveText("code.go", "y"); !errors.Is(err, noWindow) {
		t.Errorf("without a window: got %v", err)
	}
}
