package media

import (
	"bytes"
	"encoding/base64"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"mutsumi/backend/chat"
	"mutsumi/backend/fault"
	"mutsumi/backend/files"
	"mutsumi/backend/pdf/pdftest"
)

var when = time.UnixMilli(1_700_000_000_123)

// workspace makes a folder with pictures under awkward names, and a temporary
// folder of its own for pasted images.
func workspace(t testing.TB, names ...string) (string, *Loader, []byte) {
	t.Helper()
	if tt, ok := t.(*testing.T); ok {
		tt.Setenv("TMPDIR", t.TempDir())
	}
	ws := t.TempDir()
	data := encodePNG(t, picture(12, 8))
	for _, n := range names {
		must(t, os.MkdirAll(filepath.Dir(filepath.Join(ws, n)), 0o755))
		must(t, os.WriteFile(filepath.Join(ws, n), data, 0o644))
	}
	roots, err := files.New(ws, []string{ws})
	must(t, err)
	return ws, &Loader{Roots: roots, Cache: NewCache(32 << 20)}, data
}

var awkwardNames = []string{"a.png", "a b.png", "shot (2).png", "x).png", "[1].png", "中文/图.png", "é'\".png", "100%.png", "50%41.png", "a#b?c.png", "no-ending", "lies.txt", "😀.png", "-.png", "a&b=c.png", "a\\b.png", "<x>.png"}

// An image next to a notebook has a link that stays valid when the folder is moved, and can be read
// whatever the agent may touch; no other file becomes readable by that.
func TestImagesBesideANotebook(t *testing.T) {
	ws, _, data := workspace(t)
	narrow, err := files.New(ws, []string{filepath.Join(ws, "no-ending")})
	must(t, err)
	load := func(target string) error {
		_, err := (&Loader{Roots: narrow, Folder: ws}).Load(target)
		return err
	}
	for notebook, want := range map[string]string{".mutsumi/plan.mtm": "^!\\[image\\]\\(\\.mutsumi/plan\\.images/img_", "计划.mtm": "^!\\[image\\]\\(计划\\.images/img_", "a b (2).mtm": "^!\\[image\\]\\(file:///"} {
		saved, err := Save(NotebookFolder(filepath.Join(ws, notebook)), data, "", when)
		must(t, err)
		link := saved.Link(ws)
		pieces := Split(link)
		if !regexp.MustCompile(want).MatchString(link) || len(pieces) != 1 {
			t.Fatalf("%s: the link is %s", notebook, link)
		}
		for _, target := range []string{pieces[0].Target, saved.Path, files.ToURI(saved.Path)} {
			if err := load(target); err != nil {
				t.Errorf("%s: %v", target, err)
			}
		}
	}
	outside := t.TempDir()
	name := "img_1700000000123_00000000.png"
	for _, file := range []string{filepath.Join(outside, name), filepath.Join(ws, "plan.images", "other.png"), filepath.Join(ws, "sub", name), filepath.Join(outside, "x.images", name)} {
		must(t, os.MkdirAll(filepath.Dir(file), 0o755))
		must(t, os.WriteFile(file, data, 0o644))
		if err := load(file); !fault.Is(err, fault.Denied) {
			t.Errorf("%s: %v", file, err)
		}
	}
	must(t, os.Symlink(outside, filepath.Join(ws, "sly.images")))
	must(t, os.Symlink(filepath.Join(ws, "sub"), filepath.Join(ws, "near.images")))
	must(t, os.Symlink(filepath.Join(outside, name), filepath.Join(ws, "plan.images", name)))
	for _, target := range []string{"sly.images/" + name, "near.images/" + name, "plan.images/" + name, "plan.images/../sub/" + name} {
		if err := load(target); err == nil {
			t.Errorf("%s: it was read", target)
		}
	}
}

func TestSaveAndLoad(t *testing.T) {
	_, l, data := workspace(t)
	saved, err := Save(TempFolder(), data, "", when)
	must(t, err)
	if !regexp.MustCompile(`^img_1700000000123_[0-9a-f]{8}\.png$`).MatchString(filepath.Base(saved.Path)) || filepath.Dir(saved.Path) != TempFolder() {
		t.Errorf("the file is %s", saved.Path)
	}
	link := saved.Link(t.TempDir())
	if link != "![image]("+files.ToURI(saved.Path)+")" {
		t.Errorf("the link is %s", link)
	}
	if info, err := os.Stat(saved.Path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file is %v, %v", info.Mode(), err)
	}
	if info, err := os.Stat(TempFolder()); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the folder is %v, %v", info.Mode(), err)
	}
	if b, err := os.ReadFile(saved.Path); err != nil || !bytes.Equal(b, data) {
		t.Errorf("the bytes are others, %v", err)
	}
	// The folder of pasted images can be read whatever the notebook allows (SPEC 4.1).
	pieces := Split(link)
	if p, err := l.Load(pieces[0].Target); err != nil || !bytes.Equal(p.Data, data) {
		t.Errorf("the link leads to %v", err)
	}
	none := &Loader{}
	if _, err := none.Load(pieces[0].Target); err != nil {
		t.Errorf("without any allowed folder: %v", err)
	}
	// Images only.
	must(t, os.WriteFile(filepath.Join(TempFolder(), "secret.png"), []byte("text"), 0o600))
	if _, err := none.Load(filepath.Join(TempFolder(), "secret.png")); !fault.Is(err, fault.Invalid) {
		t.Errorf("a text in the folder of images: %v", err)
	}
	must(t, os.Symlink("/etc/passwd", filepath.Join(TempFolder(), "out.png")))
	if _, err := none.Load(filepath.Join(TempFolder(), "out.png")); !fault.Is(err, fault.Denied) {
		t.Errorf("a link out of the folder of images: %v", err)
	}
}

func TestSaveFolder(t *testing.T) {
	_, _, data := workspace(t)
	for _, ext := range []struct {
		data []byte
		want string
	}{{data, ".png"}, {encodeJPEG(t, picture(4, 4), 80), ".jpg"}, {encodeGIF(t, 4, 4, 1), ".gif"}, {webpLossy, ".webp"}} {
		saved, err := Save(filepath.Join(t.TempDir(), "deep", "plan.images"), ext.data, "name.exe", when)
		if err != nil || filepath.Ext(saved.Path) != ext.want {
			t.Errorf("%s: %+v, %v", ext.want, saved, err)
		}
	}
	if got := NotebookFolder("/ws/.mutsumi/my plan.mtm"); got != "/ws/.mutsumi/my plan.images" {
		t.Errorf("beside the notebook: %s", got)
	}
	seen := map[string]bool{}
	for range 50 { // many in the same millisecond
		saved, err := Save(TempFolder(), data, "", when)
		must(t, err)
		if seen[saved.Path] {
			t.Fatal("a file was written over")
		}
		seen[saved.Path] = true
	}
	// A folder that others can read is closed.
	must(t, os.Chmod(TempFolder(), 0o777))
	_, err := Save(TempFolder(), data, "", when)
	must(t, err)
	if info, err := os.Stat(TempFolder()); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the folder stays %v, %v", info.Mode(), err)
	}
}

func TestSaveFolderOfOthers(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can give a folder away")
	}
	_, l, data := workspace(t)
	const somebody = 65534
	traps := map[string]func(trap string){
		"a folder": func(p string) { must(t, os.Mkdir(p, 0o777)); must(t, os.Chown(p, somebody, somebody)) },
		"a link": func(p string) {
			must(t, os.Symlink(t.TempDir(), p))
			must(t, os.Lchown(p, somebody, somebody))
		},
		"a link to their folder": func(p string) {
			dir := t.TempDir()
			must(t, os.Chown(dir, somebody, somebody))
			must(t, os.Symlink(dir, p))
		},
		"a file":        func(p string) { must(t, os.WriteFile(p, nil, 0o666)) },
		"a broken link": func(p string) { must(t, os.Symlink(filepath.Join(t.TempDir(), "x", "y"), p)) },
	}
	for name, set := range traps {
		must(t, os.RemoveAll(TempFolder()))
		set(TempFolder())
		saved, err := Save(TempFolder(), data, "", when)
		if err != nil || filepath.Dir(saved.Path) != fallbackFolder() {
			t.Errorf("%s: saved to %s, %v", name, saved.Path, err)
			continue
		}
		if _, err := l.Load(files.ToURI(saved.Path)); err != nil {
			t.Errorf("%s: the image cannot be read back: %v", name, err)
		}
	}
	// The person's own link is followed: some people keep their temporary files elsewhere.
	must(t, os.RemoveAll(TempFolder()))
	mine := t.TempDir()
	must(t, os.Symlink(mine, TempFolder()))
	saved, err := Save(TempFolder(), data, "", when)
	if err != nil || filepath.Dir(saved.Path) != TempFolder() {
		t.Errorf("a link of one's own: %s, %v", saved.Path, err)
	}
	if _, err := l.Load(files.ToURI(saved.Path)); err != nil {
		t.Errorf("through a link of one's own: %v", err)
	}
}

func TestLoadSpellings(t *testing.T) {
	ws, l, data := workspace(t, awkwardNames...)
	for _, n := range awkwardNames {
		abs := filepath.Join(ws, n)
		for _, target := range []string{n, "./" + n, abs, files.ToURI(abs), files.Escape(n)} {
			if p, err := l.Load(target); err != nil || !bytes.Equal(p.Data, data) || p.Format != PNG {
				t.Errorf("Load(%q): %v", target, err)
			}
		}
		c, notes := l.Parts("see ![x](" + files.ToURI(abs) + ")!")
		if len(c.Parts) != 3 || len(notes) != 0 {
			t.Errorf("Parts of %q: %d parts, %v", n, len(c.Parts), notes)
		}
	}
	for target, kind := range map[string]fault.Kind{
		"gone.png": fault.NotFound, "../x.png": fault.Denied, "/etc/passwd": fault.Denied, "file:///etc/passwd": fault.Denied, "%2e%2e/x.png": fault.NotFound, "..%2f..%2fetc%2fpasswd": fault.NotFound,
		"ftp://x/y.png": fault.Invalid, "file://host/x.png": fault.Invalid, "data:image/png,abc": fault.Invalid, "data:image/png;base64,!!!": fault.Invalid, "data:text/html;base64,PGh0bWw+": fault.Invalid,
		"data:": fault.Invalid, ".": fault.Invalid, "": fault.Invalid, TempFolder() + "/gone.png": fault.NotFound, "javascript:alert(1)": fault.NotFound,
	} {
		if _, err := l.Load(target); !fault.Is(err, kind) {
			t.Errorf("Load(%q): %v, want %s", target, err, kind)
		}
	}
}

func TestParts(t *testing.T) {
	ws, l, data := workspace(t, "a.png", "b.png")
	uri := "data:image/png;base64," + base64.StdEncoding.EncodeToString(data)
	must(t, os.WriteFile(filepath.Join(ws, "big.png"), encodePNG(t, picture(3000, 10)), 0o644))

	c, notes := l.Parts("before ![one](a.png) between\n![two](b.png)![three](" + uri + ") after")
	want := []chat.Part{
		{Type: chat.PartText, Text: "before "}, {Type: chat.PartImage, ImageURL: &chat.ImageURL{URL: uri, Detail: "auto"}}, {Type: chat.PartText, Text: " between\n"},
		{Type: chat.PartImage, ImageURL: &chat.ImageURL{URL: uri, Detail: "auto"}}, {Type: chat.PartImage, ImageURL: &chat.ImageURL{URL: uri, Detail: "auto"}}, {Type: chat.PartText, Text: " after"},
	}
	got, _ := c.MarshalJSON()
	wantJSON, _ := chat.Content{Parts: want}.MarshalJSON()
	if !bytes.Equal(got, wantJSON) || len(notes) != 0 {
		t.Errorf("the parts are %.300s, notes %v", got, notes)
	}

	// Without an image that can be sent it stays a string, untouched.
	for _, text := range []string{"", "plain", "![x](gone.png) and ![y](https://x/y.png)", "![](", "a [link](a.png)"} {
		c, notes := l.Parts(text)
		if c.Parts != nil || c.String() != text {
			t.Errorf("%q became %+v", text, c)
		}
		if strings.Contains(text, "gone") && (len(notes) != 2 || !fault.Is(notes[0].Err, fault.NotFound) || notes[1].Err != nil || !strings.Contains(notes[1].Text, "not allowed")) {
			t.Errorf("%q: the notes are %+v", text, notes)
		}
	}

	// An unreadable image leaves its text, joined to the surrounding text.
	c, notes = l.Parts("x ![gone](gone.png) y ![a](a.png)")
	if len(c.Parts) != 2 || c.Parts[0].Text != "x ![gone](gone.png) y " || len(notes) != 1 {
		t.Errorf("%+v, %v", c.Parts, notes)
	}
	c, notes = l.Parts("![big](big.png)")
	if len(c.Parts) != 1 || len(notes) != 1 || notes[0].Err != nil || !strings.Contains(notes[0].Text, "big.png is sent as 2048 x 7 pixels instead of 3000 x 10") {
		t.Errorf("%d parts, %+v", len(c.Parts), notes)
	}
	l.Remote = true
	c, _ = l.Parts("![y](https://x/y.png)")
	if len(c.Parts) != 1 || c.Parts[0].ImageURL.URL != "https://x/y.png" {
		t.Errorf("an allowed address: %+v", c)
	}
}

func TestImageCache(t *testing.T) {
	ws, l, _ := workspace(t)
	file := filepath.Join(ws, "a.png")
	must(t, os.WriteFile(file, encodePNG(t, picture(3000, 1000)), 0o644))
	first, err := l.Load("a.png")
	must(t, err)
	second, err := l.Load(files.ToURI(file))
	must(t, err)
	if &first.Data[0] != &second.Data[0] {
		t.Error("the same image was scaled twice")
	}
	must(t, os.WriteFile(file, encodePNG(t, picture(3000, 2000)), 0o644))
	if third, err := l.Load("a.png"); err != nil || third.H == first.H {
		t.Errorf("a changed file gives the old image, %v", err)
	}
	th, err := l.Thumbnail("a.png", 100)
	if err != nil || th.W != 100 || th.H != 67 || th.From.W != 3000 {
		t.Errorf("the thumbnail is %d x %d of %d, %v", th.W, th.H, th.From.W, err)
	}
	raw, info, err := l.Original("a.png")
	if err != nil || info.W != 3000 || info.Format != PNG || len(raw) == 0 {
		t.Errorf("the original is %+v, %v", info, err)
	}
	// It never grows past its limit.
	c := NewCache(1000)
	for i := range 100 {
		c.put(cacheKey{bytes: int64(i)}, Prepared{Data: make([]byte, 90)})
		c.get(cacheKey{})
	}
	if c.size > 1000 || len(c.items) != c.order.Len() || len(c.items) > 11 {
		t.Errorf("the cache holds %d bytes in %d", c.size, len(c.items))
	}
	if _, ok := c.get(cacheKey{}); !ok {
		t.Error("the one in use was dropped")
	}
	c.put(cacheKey{bytes: 1000}, Prepared{Data: make([]byte, 2000)})
	if _, ok := c.get(cacheKey{bytes: 1000}); ok {
		t.Error("one larger than the cache was kept")
	}
}

func BenchmarkParts(b *testing.B) {
	ws := b.TempDir()
	must(b, os.WriteFile(filepath.Join(ws, "a.png"), encodePNG(b, noise(1000, 800)), 0o644))
	roots, err := files.New(ws, []string{ws})
	must(b, err)
	l := &Loader{Roots: roots, Cache: NewCache(64 << 20)}
	for b.Loop() {
		if c, _ := l.Parts("look ![a](a.png) here"); len(c.Parts) != 3 {
			b.Fatal("no image")
		}
	}
}

// A thumbnail is made from a data URI alone, whatever else can be read.
func TestSmallPicture(t *testing.T) {
	ws, _, _ := workspace(t, "a.png")
	t.Chdir(ws)
	cache := NewCache(1 << 20)
	large := "data:image/png;base64," + base64.StdEncoding.EncodeToString(encodePNG(t, picture(900, 300)))
	for range 2 {
		p, err := (&Loader{}).Load(SmallPicture(large, 84, cache))
		must(t, err)
		if p.W != 84 || p.H != 28 {
			t.Errorf("it is of %d × %d", p.W, p.H)
		}
	}
	film := append(encodePNG(t, picture(8, 8)), make([]byte, smallBytes)...)
	for _, uri := range []string{
		"", "data", "data:", "a.png", filepath.Join(ws, "a.png"), files.ToURI(filepath.Join(ws, "a.png")), "https://example.org/a.png",
		"data:image/png;base64,AAAA", "data:image/png;base64,?", "data:text/html;base64," + base64.StdEncoding.EncodeToString([]byte("<b>")),
		"data:application/pdf;base64," + base64.StdEncoding.EncodeToString(pdftest.Plain(1)), "data:image/png;base64," + base64.StdEncoding.EncodeToString(film),
	} {
		if small := SmallPicture(uri, 84, cache); small != "" {
			t.Errorf("%.60q has the picture %.60q", uri, small)
		}
	}
}
