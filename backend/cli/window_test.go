package cli_test

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"image"
	"image/png"
	"io"
	"net/http"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"mutsumi/backend/pdf/pdftest"
)

// window is `mutsumi serve` with a client that is signed in.
type window struct {
	t       *testing.T
	client  *http.Client
	address string
}

func (w *window) post(path string, in any) []byte {
	w.t.Helper()
	body, err := json.Marshal(in)
	if err != nil {
		w.t.Fatal(err)
	}
	res, err := w.client.Post(w.address+path, "application/json", bytes.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		w.t.Fatalf("%s: %s, %v: %s", path, res.Status, err, text)
	}
	return text
}

func (w *window) call(name string, args ...any) []byte {
	w.t.Helper()
	return w.post("api/call/"+name, args)
}

func (w *window) preview(path, cell, draft string) (v wirePreview) {
	w.t.Helper()
	in := map[string]string{"path": path, "cell": cell, "draft": draft}
	if err := json.Unmarshal(w.post("api/preview", in), &v); err != nil {
		w.t.Fatal(err)
	}
	sum := sha256.Sum256(w.post("api/request", in))
	if v.SHA256 != hex.EncodeToString(sum[:]) {
		w.t.Error("the text of the request is not the one of the preview")
	}
	return v
}

type wireCell struct{ ID, Role, State string }

func (w *window) cells(path string) []wireCell {
	w.t.Helper()
	res, err := w.client.Get(w.address + "api/notebook?path=" + path)
	if err != nil {
		w.t.Fatal(err)
	}
	defer res.Body.Close()
	var v struct{ Cells []wireCell }
	if err := json.NewDecoder(res.Body).Decode(&v); err != nil || len(v.Cells) == 0 {
		w.t.Fatalf("no cells: %v", err)
	}
	return v.Cells
}

type wireEvent struct {
	Type string
	Data json.RawMessage
}

// follow opens the stream of events. next returns what happens from here on; stop closes the stream.
func (w *window) follow() (next func() wireEvent, stop func()) {
	w.t.Helper()
	res, err := w.client.Get(w.address + "api/events?since=0")
	if err != nil {
		w.t.Fatal(err)
	}
	d := json.NewDecoder(res.Body)
	next = func() (e wireEvent) {
		w.t.Helper()
		if err := d.Decode(&e); err != nil {
			w.t.Fatal(err)
		}
		return e
	}
	for next().Type != "reset" {
	}
	return next, func() { res.Body.Close() }
}

// runs makes a call that begins a run in a notebook, and waits until the run has ended.
func (w *window) runs(path, call string, args ...any) {
	w.t.Helper()
	next, stop := w.follow()
	defer stop()
	w.call(call, args...)
	for {
		var end struct{ Path, Outcome string }
		e := next()
		if e.Type != "runFinished" {
			continue
		}
		if err := json.Unmarshal(e.Data, &end); err != nil {
			w.t.Fatal(err)
		}
		if end.Path == path {
			if end.Outcome != "done" {
				w.t.Fatalf("the run ended as %s", end.Outcome)
			}
			return
		}
	}
}

// dotPNG is an image of one pixel.
func dotPNG(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 1, 1))); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// writePapers writes the PDF documents that the notebooks of these tests link to.
func writePapers(t *testing.T, folder string) {
	t.Helper()
	write(t, folder, "papers/說明.pdf", string(pdftest.Plain(2)))
	write(t, folder, "papers/the (old) paper.pdf", string(pdftest.Packed(3)))
}

// serve starts `mutsumi serve`, which ends with the test.
func serve(t *testing.T, env []string, folder string) *window {
	t.Helper()
	cmd := command(t, env, "serve", folder)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Signal(syscall.SIGTERM)
		cmd.Wait()
	})
	printed := regexp.MustCompile(`http://127\.0\.0\.1:\d+/#token=[0-9a-f]{48}`)
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if address := printed.FindString(lines.Text()); address != "" {
			base, token, _ := strings.Cut(address, "#token=")
			w := &window{t, &http.Client{Transport: &bearer{}}, base}
			var entered struct{ Session string }
			if err := json.Unmarshal(w.post("api/session", map[string]string{"token": token}), &entered); err != nil {
				t.Fatal(err)
			}
			w.client.Transport = &bearer{entered.Session}
			return w
		}
	}
	t.Fatal("no address was printed")
	return nil
}

// bearer signs every request, as the page does.
type bearer struct{ session string }

func (b *bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.session)
	return http.DefaultTransport.RoundTrip(r)
}
