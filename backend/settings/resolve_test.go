package settings

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"mutsumi/backend/fault"
)

func TestResolve(t *testing.T) {
	s := store(t, `
providers:
  - {id: nokey, baseUrl: https://nokey.example/v1, models: [gpt-5]}
  - {id: envkey, baseUrl: https://env.example/v1, keyEnv: TEST_KEY_OF_ENV, models: [gpt-4.1, own]}
  - {id: local, baseUrl: http://localhost:4000/v1, models: [text-embedding-3-small, qwen3]}
  - {id: bare, baseUrl: https://bare.example/v1, keyEnv: TEST_KEY_OF_ENV}
`)
	s.SetBuiltIn("http://127.0.0.1:1/v1", "inner", []ModelView{{ID: "guide"}})
	pick := func(provider, model string) string {
		t.Helper()
		e, err := s.Resolve(provider, model)
		if err != nil {
			return "error " + string(fault.Of(err).Kind)
		}
		return e.ProviderID + " " + e.Model.ID
	}
	check := func(provider, model, want string) {
		t.Helper()
		if got := pick(provider, model); got != want {
			t.Errorf("Resolve(%q, %q) is %s, want %s", provider, model, got, want)
		}
		v := s.View() // what the page shows for a notebook that names nothing
		if provider+model == "" && (v.Default == nil || v.Default.Provider+" "+v.Default.Model != want || v.Offline) {
			t.Errorf("the view says %+v, offline %v, want %s", v.Default, v.Offline, want)
		}
	}
	// The first with a key, or with none needed: here the local one, without its embedding model.
	check("", "", "local qwen3")
	t.Setenv("TEST_KEY_OF_ENV", "k1")
	check("", "", "envkey gpt-4.1")
	check("", "own", "envkey own")
	check("", "gpt-5", "envkey gpt-5") // only a provider without a key lists it
	check("nokey", "", "nokey gpt-5")
	check("nokey", "new-model", "nokey new-model")
	check("gone", "x", "error notFound")
	check("bare", "", "error invalid")
	check("bare", "m", "bare m")
	check("builtin", "", "builtin guide")
	must(t, s.ChangePreferences(s.Preferences(), Preferences{DefaultProvider: "nokey", DefaultModel: "gpt-5"}))
	check("", "", "nokey gpt-5")
	check("", "gpt-5", "nokey gpt-5")
	check("", "own", "envkey own")
	must(t, s.ChangePreferences(s.Preferences(), Preferences{DefaultProvider: "gone", DefaultModel: "own"}))
	check("", "", "envkey gpt-4.1")

	must(t, s.ChangePreferences(s.Preferences(), Preferences{DefaultProvider: "bare"}))
	if v := s.View(); pick("", "") != "error invalid" || *v.Default != (Choice{Provider: "bare"}) {
		t.Errorf("a default without models is %+v: the run reports what is missing", v.Default)
	}

	e, err := s.Resolve("envkey", "")
	must(t, err)
	if key, err := e.Key(); err != nil || key != "k1" || e.BaseURL != "https://env.example/v1" || e.Model.ContextTokens != 1047576 {
		t.Errorf("the endpoint is %+v, key %q, %v", e, key, err)
	}
	t.Setenv("TEST_KEY_OF_ENV", "")
	if _, err := e.Key(); fault.Of(err).Code != fault.CodeKeyMissing || !strings.Contains(err.Error(), "TEST_KEY_OF_ENV") {
		t.Errorf("a variable that is not set: %v", err)
	}
	e, err = s.Resolve("builtin", "")
	must(t, err)
	if key, err := e.Key(); err != nil || key != "inner" {
		t.Errorf("the built-in key is %q, %v", key, err)
	}

	empty := store(t, "")
	if _, err := empty.Resolve("", ""); !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), "OPENAI_API_KEY") {
		t.Errorf("with nothing: %v", err)
	}
	if v := empty.View(); v.Default != nil || !v.Offline {
		t.Errorf("with nothing the view says %+v, %v", v.Default, v.Offline)
	}
	empty.SetBuiltIn("http://127.0.0.1:1/v1", "", []ModelView{{ID: "guide"}})
	if e, err := empty.Resolve("", ""); err != nil || e.ProviderID != BuiltInID {
		t.Errorf("without anything else: %+v, %v", e, err)
	}
	if v := empty.View(); v.Default == nil || *v.Default != (Choice{BuiltInID, "guide"}) || !v.Offline {
		t.Errorf("without anything else the view says %+v, offline %v", v.Default, v.Offline)
	}
	// A notebook that names a non-existent model must not be answered by the guide.
	if _, err := empty.Resolve("", "gpt-5"); !fault.Is(err, fault.NotFound) {
		t.Errorf("a non-existent model: %v", err)
	}
}

func TestEnvironment(t *testing.T) {
	s := store(t, "providers: [{id: a, baseUrl: https://api.openai.com/v1}]\n")
	t.Setenv("OPENAI_API_KEY", "sk-from-env")
	e, err := s.Resolve("", "")
	must(t, err)
	if key, err := e.Key(); err != nil || key != "sk-from-env" || e.ProviderID != EnvironmentID || e.BaseURL != openAI || e.Model.ID == "" {
		t.Errorf("the endpoint is %+v, key %q, %v", e, key, err)
	}
	t.Setenv("OPENAI_BASE_URL", "http://127.0.0.1:8123/v1/")
	t.Setenv("OPENAI_MODEL", "tiny")
	e, err = s.Resolve("", "")
	must(t, err)
	if e.BaseURL != "http://127.0.0.1:8123/v1" || e.Model.ID != "tiny" || !strings.Contains(e.Name, "127.0.0.1:8123") {
		t.Errorf("the endpoint is %+v", e)
	}
	t.Setenv("OPENAI_API_KEY", "")
	if key, err := s.Key(EnvironmentID); err != nil || key != "" {
		t.Errorf("a server without a key: %q, %v", key, err)
	}
	for _, err := range []error{s.SetKey(EnvironmentID, "x"), s.DeleteProvider(EnvironmentID)} {
		if !fault.Is(err, fault.Invalid) {
			t.Errorf("the environment was edited: %v", err)
		}
	}
	must(t, s.MergeModels(EnvironmentID, []string{"b", "a", "b", "", "text-embedding-3-large", "whisper-1"}))
	again, err := Open(filepath.Dir(s.Path()))
	must(t, err)
	var ids []string
	for _, p := range again.View().Providers {
		if p.ID == EnvironmentID {
			for _, m := range p.Models {
				ids = append(ids, m.ID)
			}
		}
	}
	if strings.Join(ids, " ") != "tiny a b" {
		t.Errorf("the models are %v", ids)
	}
}

func TestNoSecretInView(t *testing.T) {
	s := store(t, "providers: [{id: a, baseUrl: https://a/v1, keyEnv: TEST_SECRET, apiKey: sk-secret-1}]\n")
	t.Setenv("TEST_SECRET", "sk-secret-2")
	t.Setenv("OPENAI_API_KEY", "sk-secret-3")
	s.SetBuiltIn("http://127.0.0.1:1", "sk-secret-4", nil)
	b, err := json.Marshal(s.View())
	must(t, err)
	if strings.Contains(string(b), "sk-secret") {
		t.Errorf("a key is in the view: %s", b)
	}
}

func TestFetchedModels(t *testing.T) {
	s := store(t, "providers: [{id: a, baseUrl: https://a/v1, models: [own]}]\n")
	before := text(t, s)
	must(t, s.MergeModels("a", []string{"gpt-4o", "zeta"}))
	if text(t, s) != before {
		t.Error("fetched names were written into the person's file")
	}
	models := s.View().Providers[0].Models
	if len(models) != 3 || models[1] != Known("gpt-4o") {
		t.Errorf("the models are %+v", models)
	}
	// The person drops one and corrects another: only the correction is written.
	models[1].InputPrice = 9
	_, err := s.SaveProvider(ProviderInput{ID: "a", BaseURL: "https://a/v1", Models: models[:2]})
	must(t, err)
	if got := s.View().Providers[0].Models; len(got) != 2 || got[1].InputPrice != 9 || got[1].ContextTokens != 128000 {
		t.Errorf("the models are %+v", got)
	}
	if got := text(t, s); !strings.Contains(got, "inputPrice: 9") || strings.Contains(got, "contextTokens") {
		t.Errorf("the file is %s", got)
	}
	if err := s.MergeModels("gone", nil); !fault.Is(err, fault.NotFound) {
		t.Errorf("models of no provider: %v", err)
	}
}

func TestKnown(t *testing.T) {
	table, err := readKnown(knownText)
	must(t, err)
	if len(table) < 100 {
		t.Errorf("only %d entries", len(table))
	}
	seen := map[string]bool{}
	for _, k := range table {
		if seen[k.Match] {
			t.Errorf("%s occurs twice", k.Match)
		}
		seen[k.Match] = true
		if k.Context <= 0 || k.Price[0] < 0 || k.Price[1] > k.Price[0] || k.Price[2] < k.Price[0] {
			t.Errorf("%s: %+v", k.Match, k)
		}
	}
	for id, want := range map[string]ModelView{
		"gpt-5":                             {ContextTokens: 400000, Images: true, Documents: true, Tools: true, Reasoning: true, InputPrice: 1.25, CachedPrice: 0.125, OutputPrice: 10},
		"gpt-5-mini-2025-08-07":             {ContextTokens: 400000, Images: true, Documents: true, Tools: true, Reasoning: true, InputPrice: 0.25, CachedPrice: 0.025, OutputPrice: 2},
		"openai/gpt-4o-mini":                {ContextTokens: 128000, Images: true, Documents: true, Tools: true, InputPrice: 0.15, CachedPrice: 0.075, OutputPrice: 0.6},
		"o3-mini":                           {ContextTokens: 200000, Tools: true, Reasoning: true, InputPrice: 1.1, CachedPrice: 0.55, OutputPrice: 4.4},
		"anthropic/claude-opus-4.5":         {ContextTokens: 200000, Images: true, Documents: true, Tools: true, Reasoning: true, InputPrice: 5, CachedPrice: 0.5, OutputPrice: 25},
		"claude-opus-4-20250514":            {ContextTokens: 200000, Images: true, Documents: true, Tools: true, Reasoning: true, InputPrice: 15, CachedPrice: 1.5, OutputPrice: 75},
		"llama3.2:3b":                       {ContextTokens: 131072, Tools: true},
		"Qwen/Qwen3-Coder-30B-A3B-Instruct": {ContextTokens: 262144, Tools: true},
		"gemma3:4b":                         {ContextTokens: 131072, Images: true},
		"gemini-2.5-flash":                  {ContextTokens: 1048576, Images: true, Tools: true, Reasoning: true, InputPrice: 0.3, CachedPrice: 0.03, OutputPrice: 2.5},
		"my-own-thing":                      {Tools: true},
		"":                                  {Tools: true},
		"]\x00[":                            {Tools: true},
	} {
		want.ID, want.Guessed = id, want.InputPrice != 0
		if got := Known(id); got != want {
			t.Errorf("Known(%q) is %+v, want %+v", id, got, want)
		}
	}
}

func TestState(t *testing.T) {
	s := store(t, "")
	a, b := t.TempDir(), t.TempDir()
	if got := s.UI(a); !got.SidebarOpen || got.Tabs == nil || !got.Fresh || got.InspectorOpen != nil {
		t.Errorf("a new folder starts with %+v", got)
	}
	// The window's size, known before the page exists, does not change the page's state.
	must(t, s.KeepUI(a, func(kept *UIState) { kept.Window.Width = 900 }))
	if got := s.UI(a); !got.Fresh {
		t.Errorf("the window's size made it %+v", got)
	}
	closed := false
	want := UIState{InspectorOpen: &closed, Tabs: []string{"x.mtm"}, Active: "x.mtm", Beside: &Beside{Tabs: []string{"y.mtm"}, Active: "y.mtm", Front: true, Share: 60}, SidebarWidth: 240, Collapsed: []string{"u"}, Pinned: []string{"p"}, Archived: []string{"a"}, Window: WindowState{Width: 1200, Height: 800, Maximised: true}}
	must(t, s.KeepUI(a, func(kept *UIState) { *kept = want }))
	for _, dir := range []string{a, b, a} {
		must(t, s.AddRecent(dir))
	}
	again, err := Open(filepath.Dir(s.Path()))
	must(t, err)
	got, _ := json.Marshal(again.UI(a))
	wantJSON, _ := json.Marshal(want)
	if string(got) != string(wantJSON) {
		t.Errorf("the state is %s, want %s", got, wantJSON)
	}
	if r := again.Recent(); len(r) != 2 || r[0] != a || r[1] != b {
		t.Errorf("recent folders are %v", r)
	}
	must(t, os.RemoveAll(b))
	if r := again.Recent(); len(r) != 1 {
		t.Errorf("a folder that is gone is still offered: %v", r)
	}
	// Damaged state is no reason not to start.
	must(t, os.WriteFile(s.uiFile(a), []byte("{"), 0o600))
	must(t, os.WriteFile(s.recentFile(), []byte("null"), 0o600))
	if got := again.UI(a); !got.SidebarOpen || again.Recent() == nil {
		t.Errorf("damaged state gives %+v, %v", got, again.Recent())
	}
	for i := range 30 {
		must(t, s.AddRecent(filepath.Join(a, string(rune('a'+i)))))
	}
	if n := len(s.recent()); n != maxRecent {
		t.Errorf("%d folders are remembered", n)
	}
}

// The page stores its tabs and the program the size of the window, at any time: neither overwrites
// the other, and the last state is on the disk.
func TestStateIsKeptFromTwoSides(t *testing.T) {
	s := store(t, "")
	dir := t.TempDir()
	var sides sync.WaitGroup
	for n := range 20 {
		for _, change := range []func(*UIState){
			func(kept *UIState) { kept.Tabs = append(slices.Clone(kept.Tabs), fmt.Sprint(n)) },
			func(kept *UIState) { kept.Window.Width++ },
		} {
			sides.Go(func() {
				if err := s.KeepUI(dir, change); err != nil {
					t.Error(err)
				}
			})
		}
	}
	sides.Wait()
	again, err := Open(filepath.Dir(s.Path()))
	must(t, err)
	if got := again.UI(dir); len(got.Tabs) != 20 || got.Window.Width != 20 {
		t.Errorf("kept is %+v", got)
	}
}

func TestFolders(t *testing.T) {
	clean(t)
	t.Setenv("XDG_STATE_HOME", "/x/state")
	t.Setenv("XDG_CONFIG_HOME", "/x/config")
	s, err := Open("")
	must(t, err)
	if s.Path() != "/x/config/mutsumi/settings.yaml" || s.state != "/x/state/mutsumi" {
		t.Errorf("%s, %s", s.Path(), s.state)
	}
	t.Setenv("MUTSUMI_CONFIG", "/y")
	if s, err = Open(""); err != nil || s.Path() != "/y/settings.yaml" || s.state != "/y/state" {
		t.Errorf("%s, %s, %v", s.Path(), s.state, err)
	}
	t.Setenv("MUTSUMI_STATE", "/z")
	if s, err = Open(""); err != nil || s.state != "/z" {
		t.Errorf("%s, %v", s.state, err)
	}
}

func TestWatch(t *testing.T) {
	s := store(t, "preferences: {theme: dark}\n")
	changed := make(chan struct{}, 10)
	stop := s.Watch(func() { changed <- struct{}{} })
	// A change written in steps may be reported in steps.
	wait := func(what string, is func(View) bool) {
		t.Helper()
		for late := time.After(time.Minute); ; {
			select {
			case <-changed:
				if is(s.View()) {
					return
				}
			case <-late:
				t.Fatalf("%s was not noticed: %+v", what, s.View())
			}
		}
	}
	must(t, os.WriteFile(s.Path(), []byte("preferences: {theme: light}\n"), 0o600))
	wait("an edit in place", func(v View) bool { return v.Preferences.Theme == "light" })
	must(t, os.WriteFile(s.Path()+".new", []byte("preferences: {theme: dark, zoom: 120}\n"), 0o600))
	must(t, os.Rename(s.Path()+".new", s.Path()))
	wait("a save by renaming", func(v View) bool { return v.Preferences.Theme == "dark" && v.Preferences.Zoom == 120 })
	must(t, os.WriteFile(s.Path(), []byte("preferences: ["), 0o600))
	wait("damage", func(v View) bool { return v.Problem != "" })
	must(t, os.Remove(s.Path()))
	wait("removal", func(v View) bool { return v.Problem == "" && v.Preferences.Zoom == 100 })
	// An edit of our own is followed by one from outside: only the second is reported.
	must(t, s.ChangePreferences(s.Preferences(), Preferences{Zoom: 150}))
	time.Sleep(3 * rest)
	if len(changed) != 0 {
		t.Error("an edit of our own was reported")
	}
	stop()
	stop()
	must(t, os.WriteFile(s.Path(), nil, 0o600))
	time.Sleep(3 * rest)
	if len(changed) != 0 {
		t.Error("a change was reported after the end")
	}
}
