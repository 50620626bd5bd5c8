package workspace_test

import (
	"strings"
	"testing"

	"mutsumi/backend/notebook"
	"mutsumi/backend/runner"
	"mutsumi/backend/settings"
)

// cachedModel opens a folder with a model of a server with a manner of caching.
func cachedModel(t *testing.T, kind, script string) (d *desk, path string) {
	t.Helper()
	d = openModel(t, "", script, settings.ModelView{ID: "m", Tools: true, Cache: kind}, nil)
	d.write("long.md", strings.Repeat("A line of a long file.\n", 800))
	path = d.create("Cached")
	return d, path
}

func (d *desk) turn(path, text string) *notebook.RunInfo {
	d.t.Helper()
	return d.ran(path, d.prompt(path, text))
}

func (d *desk) ran(path, cell string) *notebook.RunInfo {
	d.t.Helper()
	d.run(path, cell, runner.RunCell)
	d.untilFinished(1)
	_, cells, err := d.Cells(path, []string{cell})
	if err != nil || len(cells) != 1 || cells[0].Body.Run == nil {
		d.t.Fatalf("cell %s: %+v, %v", cell, cells, err)
	}
	return cells[0].Body.Run
}

// The expected cache reads depend on the server's manner. If the block of files moves with the
// newest prompt, a server that caches only whole requests reads nothing, and one that compares
// beginnings reads everything before the block.
func TestThePreviewExpectsWhatTheServerCaches(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind, placement string
		most            bool // most of the request is expected; otherwise nothing, or the part before the block
		none            bool
	}{
		{"prefix", "ghost", false, false}, {"prefix", "versioned", true, false},
		{"whole", "ghost", false, true}, {"whole", "versioned", true, false},
		{"marked", "ghost", false, false}, {"marked", "versioned", true, false},
		{"none", "versioned", false, true},
	} {
		t.Run(c.kind+" "+c.placement, func(t *testing.T) {
			t.Parallel()
			d, path := cachedModel(t, c.kind, "answer always\ntext ok\nusage 9000 1 cached=9000")
			if err := d.SetPlacement(path, c.placement); err != nil {
				t.Fatal(err)
			}
			if v := d.preview(path, "", "x"); v.Expected.Tokens != 0 || string(v.Expected.Kind) != c.kind {
				t.Errorf("before the first request: %+v", v.Expected)
			}
			d.turn(path, "See @[long.md]")
			v := d.preview(path, "", "And now?")
			if got := v.Expected; (got.Tokens*10 > v.Tokens*9) != c.most || (got.Tokens == 0) != c.none || got.Expired {
				t.Errorf("%+v of %d tokens", got, v.Tokens)
			}
		})
	}
}

// The footer of a cell says if a server read less from its cache than expected, and names the first
// byte that differs and what it belongs to.
func TestACacheMissNamesTheFirstByte(t *testing.T) {
	t.Parallel()
	script := "answer\ntext one\nusage 9000 1\nanswer\ntext two\nusage 9000 1 cached=8900\nanswer\ntext three\nusage 9100 1\nanswer\ntext four\nusage 9100 1"
	d, path := cachedModel(t, "prefix", script)
	if err := d.SetPlacement(path, "versioned"); err != nil {
		t.Fatal(err)
	}
	first := d.prompt(path, "See @[long.md]")
	if run := d.ran(path, first); run.Cache != nil {
		t.Errorf("the first request has nothing to miss: %+v", run.Cache)
	}
	if run := d.turn(path, "Two."); run.Cache != nil {
		t.Errorf("the server read everything that was expected: %+v", run.Cache)
	}
	// The server read nothing, although nothing differs.
	miss := d.turn(path, "Three.").Cache
	if miss == nil || miss.Read != 0 || miss.Expected < 4000 || miss.BrokenBy != "" {
		t.Fatalf("%+v", miss)
	}
	bodies := d.server.Requests()
	if same := int64(common(string(bodies[1].Body), string(bodies[2].Body))); miss.Same > same || miss.Same < same-512 || miss.Bytes != int64(len(bodies[2].Body)) {
		t.Errorf("%+v, the first %d of %d bytes are equal", miss, same, len(bodies[2].Body))
	}
	// An edit of the first prompt breaks the beginning: nothing after it was expected.
	if _, err := d.Edit(path, []notebook.Edit{{Kind: notebook.EditSetText, Cell: first, Text: "Look at @[long.md]"}}, ""); err != nil {
		t.Fatal(err)
	}
	want := d.preview(path, "", "Four.").Expected.Tokens
	if miss := d.turn(path, "Four.").Cache; miss == nil || miss.Expected != want || miss.BrokenBy == "" {
		t.Errorf("%+v, %d tokens were expected", miss, want)
	}
}

// Within a run each step continues from the one before.
func TestACacheMissWithinARun(t *testing.T) {
	t.Parallel()
	script := "answer\ncall 0 a ls {\"uri\":\".\"}\nusage 9000 1\nanswer\ntext done\nusage 9100 1"
	d, path := cachedModel(t, "whole", script)
	miss := d.turn(path, "List it.").Cache
	if miss == nil || miss.Expected != 9000 || miss.Read != 0 || miss.Same <= 0 {
		t.Fatalf("%+v", miss)
	}
}
