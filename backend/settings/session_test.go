package settings

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mutsumi/backend/fault"
)

// A key can be kept until the program ends: in memory, and in no file.
func TestAKeyForThisSessionOnly(t *testing.T) {
	s := store(t, "# mine\nproviders:\n  - id: a\n    baseUrl: https://a/v1\n    keyEnv: TEST_A\n")
	if err := s.SetSessionKey("a", " "); !fault.Is(err, fault.Invalid) {
		t.Errorf("an empty key: %v", err)
	}
	if err := s.SetSessionKey("gone", "sk-secret"); !fault.Is(err, fault.NotFound) {
		t.Errorf("an unknown provider: %v", err)
	}
	must(t, s.SetSessionKey("a", " sk-secret-1 "))
	if key, err := s.Key("a"); err != nil || key != "sk-secret-1" {
		t.Errorf("the key is %q, %v", key, err)
	}
	if v := s.View().Providers[0].Key; v != (KeyView{Store: "session", Set: true}) {
		t.Errorf("the view says %+v", v)
	}
	if e, err := s.Resolve("a", "m"); err != nil {
		t.Error(err)
	} else if key, err := e.Key(); err != nil || key != "sk-secret-1" {
		t.Errorf("a client gets %q, %v", key, err)
	}
	if got := text(t, s); !strings.Contains(got, "key: session") || strings.Contains(got, "keyEnv") || !strings.Contains(got, "# mine") {
		t.Errorf("the file says %s", got)
	}
	for _, dir := range []string{filepath.Dir(s.Path()), s.state} {
		must(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) && path == dir {
				return nil // nothing was kept there
			}
			if err != nil || d.IsDir() {
				return err
			}
			if b, err := os.ReadFile(path); err != nil || strings.Contains(string(b), "sk-secret") {
				t.Errorf("the key is in %s, %v", path, err)
			}
			return nil
		}))
	}

	again, err := Open(filepath.Dir(s.Path()))
	must(t, err)
	if v := again.View(); v.Problem != "" || v.Providers[0].Key != (KeyView{Store: "session"}) {
		t.Errorf("after a restart the view says %+v", v)
	}
	if _, err := again.Key("a"); fault.Of(err).Code != fault.CodeKeyMissing {
		t.Errorf("after a restart: %v", err)
	}

	must(t, s.SetKey("a", "")) // none is needed
	if key, err := s.Key("a"); err != nil || key != "" || strings.Contains(text(t, s), "session") {
		t.Errorf("given up: %q, %v, %s", key, err, text(t, s))
	}
	must(t, s.SetSessionKey("a", "sk-secret-2"))
	must(t, s.DeleteProvider("a"))
	id, err := s.SaveProvider(ProviderInput{Name: "a", BaseURL: "https://a/v1"})
	must(t, err)
	if key, err := s.Key(id); err != nil || key != "" {
		t.Errorf("a new provider of that name has the key %q, %v", key, err)
	}
}

// A person's settings for a model are written, read, and refused if no server would accept them;
// removed ones disappear from the file.
func TestWhatARequestAsksFor(t *testing.T) {
	s := store(t, "")
	cold := 0.0
	in := ProviderInput{Name: "own", BaseURL: "http://127.0.0.1:1/v1", Models: []ModelView{{ID: "mine", Tools: true, ContextTokens: 32768, MaxOutput: 4096, Temperature: &cold, Effort: "high"}}}
	id, err := s.SaveProvider(in)
	must(t, err)
	for _, want := range []string{"contextTokens: 32768", "maxOutput: 4096", "temperature: 0", "effort: high"} {
		if !strings.Contains(text(t, s), want) {
			t.Errorf("%s is missing in %s", want, text(t, s))
		}
	}
	again, err := Open(filepath.Dir(s.Path()))
	must(t, err)
	m := again.View().Providers[0].Models[0]
	if m.ContextTokens != 32768 || m.MaxOutput != 4096 || m.Temperature == nil || *m.Temperature != 0 || m.Effort != "high" {
		t.Errorf("read as %+v", m)
	}
	in.ID, in.Models = id, []ModelView{{ID: "mine", Tools: true}}
	_, err = s.SaveProvider(in)
	must(t, err)
	if m := s.View().Providers[0].Models[0]; m.MaxOutput != 0 || m.Temperature != nil || m.Effort != "" || strings.Contains(text(t, s), "temperature") {
		t.Errorf("taken away: %+v\n%s", m, text(t, s))
	}
	hot := 3.0
	for _, m := range []ModelView{{ID: "m", Temperature: &hot}, {ID: "m", Effort: "some"}, {ID: "m", MaxOutput: -1}, {ID: "m", ContextTokens: -1}} {
		in.Models = []ModelView{m}
		if _, err := s.SaveProvider(in); !fault.Is(err, fault.Invalid) {
			t.Errorf("%+v: %v", m, err)
		}
	}
}
