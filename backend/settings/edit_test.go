package settings

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"mutsumi/backend/fault"
)

// clean takes the person's own environment out of a test.
func clean(t testing.TB) {
	t.Helper()
	for _, name := range []string{"OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_MODEL", "MUTSUMI_CONFIG", "MUTSUMI_STATE"} {
		if tt, ok := t.(*testing.T); ok {
			tt.Setenv(name, "")
		}
	}
}

func store(t testing.TB, text string) *Store {
	t.Helper()
	clean(t)
	dir := t.TempDir()
	if text != "" {
		must(t, os.WriteFile(filepath.Join(dir, "settings.yaml"), []byte(text), 0o600))
	}
	s, err := Open(dir)
	must(t, err)
	return s
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func text(t testing.TB, s *Store) string {
	t.Helper()
	b, err := os.ReadFile(s.Path())
	must(t, err)
	return string(b)
}

const byHand = `# My settings, kept in git.

# Where models are
providers:
  # the office
  - id: office   # do not rename
    name: "Office"
    baseUrl: https://llm.example/v1
    region: eu # nobody knows this key
    keyEnv: OFFICE_KEY

    models:
      # the good one
      - id: gpt-5
        inputPrice: 1.00   # our contract
        nickname: five
      - llama3.1

  - {id: home, baseUrl: 'http://127.0.0.1:9999/v1', models: []}

# how it looks
preferences:
  theme: dark # easier on the eyes
  zoom: 110

experiments: {fast: yes, list: [1,2,  3]}
# the end
`

func TestEditKeepsTheRest(t *testing.T) {
	s := store(t, byHand)
	v := s.View()
	if v.Problem != "" || len(v.Providers) != 2 {
		t.Fatalf("the file is read as %+v", v)
	}

	// Saving the present settings changes nothing, byte for byte.
	for _, p := range v.Providers {
		_, err := s.SaveProvider(ProviderInput{ID: p.ID, Name: p.Name, BaseURL: p.BaseURL, KeyEnv: p.Key.Env, Models: p.Models})
		must(t, err)
	}
	must(t, s.ChangePreferences(s.Preferences(), v.Preferences))
	if got := text(t, s); got != byHand {
		t.Errorf("saving without a change wrote\n%s", got)
	}

	// Each edit changes its own lines only.
	v.Preferences.Theme, v.Preferences.StepLimit = "light", 20
	must(t, s.ChangePreferences(s.Preferences(), v.Preferences))
	office := v.Providers[0]
	office.Models[0].InputPrice = 2
	_, err := s.SaveProvider(ProviderInput{ID: "office", Name: "Head office", BaseURL: "https://llm.example/v2/", KeyEnv: "OFFICE_KEY", Models: office.Models})
	must(t, err)
	want := strings.NewReplacer(
		`"Office"`, `"Head office"`, "example/v1", "example/v2", "inputPrice: 1.00   #", "inputPrice: 2 #",
		"theme: dark ", "theme: light ", "  zoom: 110\n", "  zoom: 110\n  stepLimit: 20\n",
	).Replace(byHand)
	if got := text(t, s); got != want {
		t.Errorf("the file is now\n%s\nwant\n%s", got, want)
	}

	must(t, s.DeleteProvider("home"))
	for _, part := range []string{"# My settings", "# Where models are", "# the office", "# do not rename", "region: eu # nobody", "nickname: five", "# our contract", "# how it looks", "# easier on", "experiments:", "# the end"} {
		if !strings.Contains(text(t, s), part) {
			t.Errorf("%q is lost:\n%s", part, text(t, s))
		}
	}
	if strings.Contains(text(t, s), "home") {
		t.Errorf("the provider is still there:\n%s", text(t, s))
	}
}

func TestNewFile(t *testing.T) {
	s := store(t, "")
	if v := s.View(); v.Problem != "" || len(v.Providers) != 0 || !reflect.DeepEqual(v.Preferences, Preferences{Theme: "system", ImageFolder: "notebook", StepLimit: 50, Compact: "auto", Zoom: 100, Density: Comfortable, Language: "system", ParallelAgents: 4, CommandEnv: []string{}, Keys: map[string][]string{}}) {
		t.Errorf("without a file: %+v", v)
	}
	id, err := s.SaveProvider(ProviderInput{Name: "My Büro!", BaseURL: " https://llm.example/v1/ ", Models: []ModelView{Known("gpt-5"), {ID: "own", Tools: true, ContextTokens: 1000}}})
	must(t, err)
	again, err := s.SaveProvider(ProviderInput{Name: "My Büro!", BaseURL: "http://x/v1"})
	must(t, err)
	if id != "my-b-ro" || again != "my-b-ro-2" {
		t.Errorf("the ids are %s, %s", id, again)
	}
	want := fileHead + `

providers:
  - id: my-b-ro
    name: My Büro!
    baseUrl: https://llm.example/v1
    models:
      - gpt-5
      - id: own
        contextTokens: 1000
  - id: my-b-ro-2
    name: My Büro!
    baseUrl: http://x/v1
`
	if got := text(t, s); got != want {
		t.Errorf("the file is\n%s\nwant\n%s", got, want)
	}
	if info, err := os.Stat(s.Path()); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("permissions are %v, %v", info.Mode(), err)
	}
	// Reading it again gives the same.
	other, err := Open(filepath.Dir(s.Path()))
	must(t, err)
	a, _ := json.Marshal(s.View())
	b, _ := json.Marshal(other.View())
	if string(a) != string(b) {
		t.Errorf("after opening again\n%s\nwant\n%s", b, a)
	}
	for _, reserved := range []string{"builtin", "environment", "ollama"} {
		if id, err := s.SaveProvider(ProviderInput{Name: reserved, BaseURL: "http://x"}); err != nil || id != reserved+"-2" {
			t.Errorf("the id of %s is %s, %v", reserved, id, err)
		}
	}
}

func TestDamaged(t *testing.T) {
	cases := map[string]string{ // text -> expected words of the problem
		"providers:\n  - id: a\n   name: x\n":                    "line 3",
		"providers: [\n":                                         "line",
		"a: 1\nb: b: c\n":                                        "line 2",
		"\tproviders:\n":                                         "line 1",
		"- just\n- a list\n":                                     "line 1",
		"just text\n":                                            "line 1",
		"providers: yes\n":                                       "line 1",
		"providers:\n  - id: a\n  - name: none\n":                "line 3",
		"providers:\n  - id: a\n  - id: a\n":                     "line 3",
		"providers:\n  - id: a\n    models: [{name: x}]\n":       "line 2",
		"providers:\n  - id: a\n    models: 7\n":                 "line 3",
		"preferences:\n  stepLimit: many\n":                      "line 2",
		"preferences:\n  zoom: [1]\n":                            "line 2",
		"preferences: {}\npreferences: {}\n":                     "line 2",
		"a: 1\n---\nb: 2\n":                                      "second document",
		"\x00\x01\x02":                                           "control characters",
		"providers:\n  - &a [*a]\n":                              "line 2: here is a list where a provider",
		"preferences:\n  theme: {}\n":                            "line 2: here is a block of keys where text should be",
		"x: 1\ny: \"open\nz: 2\n":                                "line 2",
		"x: \xff\xfe\n":                                          "UTF-8",
		strings.Repeat("[", 20000):                               "",
		"a: &a [x,x]\nb: &b [*a,*a,*a]\nproviders: [*b, *b, *b]": "line",
	}
	for damaged, word := range cases {
		s := store(t, damaged)
		v := s.View()
		if !strings.Contains(v.Problem, "settings.yaml is damaged: ") || !strings.Contains(v.Problem, word) || !strings.Contains(v.Problem, "Mend it") {
			t.Errorf("%.40q: the problem is %q, want %q", damaged, v.Problem, word)
		}
		_, err := s.SaveProvider(ProviderInput{Name: "x", BaseURL: "http://x"})
		for _, err := range []error{err, s.ChangePreferences(s.Preferences(), Preferences{Theme: "dark"}), s.DeleteProvider("a")} {
			if !fault.Is(err, fault.Invalid) && !fault.Is(err, fault.NotFound) {
				t.Errorf("%.40q: an edit gave %v", damaged, err)
			}
		}
		if got := text(t, s); got != damaged {
			t.Errorf("%.40q was overwritten with %q", damaged, got)
		}
		// Mended by hand, it works again without a restart.
		must(t, os.WriteFile(s.Path(), []byte("preferences: {theme: dark}\n"), 0o600))
		must(t, s.ChangePreferences(s.Preferences(), Preferences{Theme: "light"}))
		if v := s.View(); v.Problem != "" || v.Preferences.Theme != "light" {
			t.Errorf("after mending: %+v", v)
		}
	}
}

func TestDamagedWhileOpen(t *testing.T) {
	s := store(t, "providers: [{id: a, baseUrl: http://a}]\n")
	must(t, os.WriteFile(s.Path(), []byte("providers: [{id"), 0o600))
	if err := s.ChangePreferences(s.Preferences(), Preferences{Theme: "dark"}); !fault.Is(err, fault.Invalid) {
		t.Errorf("an edit of a file that has been damaged: %v", err)
	}
	if v := s.View(); v.Problem == "" || len(v.Providers) != 1 {
		t.Errorf("the earlier settings are gone: %+v", v)
	}
}

func TestOddButUsable(t *testing.T) {
	for odd, word := range map[string]string{
		"providers: [{id: a, baseUrl: http://a, apiKey: sk-1234}]\n":   "line 1: a key does not belong",
		"providers:\n- id: a\n  baseUrl: http://a\n  key: sk-1234\n":   "line 4: `key` can only say",
		"preferences:\n  theme: purple\n":                              "line 2: `theme` is",
		"preferences:\n  imageFolder: /tmp\n":                          "line 2: `imageFolder` is",
		"# only a comment\nproviders: [{id: a, token: t, baseUrl: h}]": "line 2: a key",
	} {
		s := store(t, odd)
		if p := s.View().Problem; !strings.Contains(p, word) || strings.Contains(p, "sk-1234") {
			t.Errorf("%q: the remark is %q", odd, p)
		}
		must(t, s.ChangePreferences(s.Preferences(), Preferences{Theme: "dark", ImageFolder: "temp"}))
	}
	for _, empty := range []string{"", "\n", "# a comment\n", "{}\n", "null\n", "~", "providers:\npreferences:\n", "providers: []\n", "---\n", "\xEF\xBB\xBFpreferences:\n"} {
		s := store(t, empty)
		if _, err := s.SaveProvider(ProviderInput{Name: "a", BaseURL: "http://a"}); err != nil || s.View().Problem != "" || len(s.View().Providers) != 1 {
			t.Errorf("%q: %v, %s", empty, err, s.View().Problem)
		}
		if strings.Contains(empty, "# a") && !strings.Contains(text(t, s), "# a comment") {
			t.Errorf("the comment is lost: %s", text(t, s))
		}
	}
}

func TestRefused(t *testing.T) {
	s := store(t, "providers: [{id: a, baseUrl: http://a}]\n")
	before := text(t, s)
	for _, p := range []ProviderInput{
		{Name: "x"}, {Name: "x", BaseURL: "llm.example"}, {Name: "x", BaseURL: "ftp://x"}, {Name: "x", BaseURL: "file:///etc"}, {Name: "x", BaseURL: "https://u:p@x/v1"}, {Name: "x", BaseURL: "https://x/v1?api-key=1"},
		{Name: "x", BaseURL: "https://x/#y"}, {Name: "x", BaseURL: "https://"}, {Name: "x", BaseURL: "http://x", KeyEnv: "sk-abcdef"}, {Name: "x", BaseURL: "http://x", KeyEnv: "A B"}, {Name: "x", BaseURL: "http://x", KeyEnv: strings.Repeat("K", 70)},
		{Name: "x", BaseURL: "http://x", Models: []ModelView{{ID: "ok"}, {ID: " "}}}, {ID: "gone", BaseURL: "http://x"},
	} {
		if id, err := s.SaveProvider(p); err == nil {
			t.Errorf("%+v was saved as %s", p, id)
		} else if strings.Contains(err.Error(), "sk-abcdef") || strings.Contains(err.Error(), "u:p@") || strings.Contains(err.Error(), "KKKK") {
			t.Errorf("the error repeats a possible secret: %v", err)
		}
	}
	for _, p := range []Preferences{{Theme: "pink"}, {ImageFolder: "x"}, {StepLimit: -1}, {Zoom: 5}, {Zoom: 1000}, {FontSize: 1}} {
		if err := s.ChangePreferences(s.Preferences(), p); !fault.Is(err, fault.Invalid) {
			t.Errorf("%+v: %v", p, err)
		}
	}
	if got := text(t, s); got != before {
		t.Errorf("something was written: %s", got)
	}
}

func TestLinkAndReadOnly(t *testing.T) {
	clean(t)
	dir, dots := t.TempDir(), t.TempDir()
	real := filepath.Join(dots, "mutsumi.yaml")
	must(t, os.WriteFile(real, []byte("# dotfiles\n"), 0o640))
	must(t, os.Symlink(real, filepath.Join(dir, "settings.yaml")))
	s, err := Open(dir)
	must(t, err)
	must(t, s.ChangePreferences(s.Preferences(), Preferences{Theme: "dark"}))
	if info, err := os.Lstat(s.Path()); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v, %v", info.Mode(), err)
	}
	if b, err := os.ReadFile(real); err != nil || !strings.Contains(string(b), "theme: dark") || !strings.Contains(string(b), "# dotfiles") {
		t.Errorf("the target holds %q, %v", b, err)
	}
	if info, err := os.Stat(real); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("permissions are %v, %v", info.Mode(), err)
	}
	// A file in place of the folder makes it unwritable, even for root.
	must(t, os.WriteFile(filepath.Join(dots, "file"), nil, 0o600))
	s, err = Open(filepath.Join(dots, "file", "mutsumi"))
	must(t, err)
	if err := s.ChangePreferences(s.Preferences(), Preferences{Theme: "dark"}); !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), s.Path()) {
		t.Errorf("a folder that cannot be made: %v", err)
	}
}

func TestTwoWriters(t *testing.T) {
	s := store(t, "")
	other, err := Open(filepath.Dir(s.Path()))
	must(t, err)
	done := make(chan error, 2)
	for i, st := range []*Store{s, other} {
		go func() {
			var err error
			for range 20 {
				if _, e := st.SaveProvider(ProviderInput{Name: []string{"left", "right"}[i], BaseURL: "http://x"}); e != nil {
					err = e
				}
			}
			done <- err
		}()
	}
	must(t, <-done)
	must(t, <-done)
	s.reload()
	if v := s.View(); v.Problem != "" || len(v.Providers) != 40 {
		t.Errorf("%d providers, problem %q", len(v.Providers), v.Problem)
	}
}

func BenchmarkView(b *testing.B) {
	dir := b.TempDir()
	must(b, os.WriteFile(filepath.Join(dir, "settings.yaml"), []byte(byHand), 0o600))
	s, err := Open(dir)
	must(b, err)
	ids := make([]string, 300)
	for i := range ids {
		ids[i] = "gpt-5-" + strings.Repeat("x", i%40)
	}
	must(b, s.MergeModels("office", ids))
	b.ReportAllocs()
	for b.Loop() {
		s.View()
	}
}

func BenchmarkSave(b *testing.B) {
	dir := b.TempDir()
	must(b, os.WriteFile(filepath.Join(dir, "settings.yaml"), []byte(byHand), 0o600))
	s, err := Open(dir)
	must(b, err)
	zoom := 100
	for b.Loop() {
		zoom ^= 1
		must(b, s.ChangePreferences(s.Preferences(), Preferences{Zoom: zoom}))
	}
}

func FuzzEdit(f *testing.F) {
	f.Add([]byte(byHand))
	f.Add([]byte("providers:\n- a: |\n    x\n\n    y\n  id: b\n"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		if len(raw) > 4000 {
			return
		}
		c, _, err := parse(raw)
		if err != nil {
			return
		}
		out, err := rewrite(raw, func(root *yaml.Node) error {
			put(ensure(root, "preferences", yaml.MappingNode), "zoom", 77, false)
			return nil
		})
		if err != nil {
			return
		}
		got, _, err := parse(out)
		if err != nil {
			t.Fatalf("the edit of %q damaged it: %q: %v", raw, out, err)
		}
		c.Preferences.Zoom = 77
		a, _ := json.Marshal(c)
		b, _ := json.Marshal(got)
		if string(a) != string(b) {
			t.Fatalf("the edit of %q changed more: %q", raw, out)
		}
	})
}
