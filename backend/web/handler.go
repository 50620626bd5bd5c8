// Package web is the HTTP handler of both forms of the program: the asset server's handler in the
// window, and `mutsumi serve` on loopback (there behind Guard, with Calls and the built interface).
// It carries the event stream and large data; calls are bound methods.
//
// It has no logic of its own: package workspace does the work.
package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"mutsumi/backend/complete"
	"mutsumi/backend/event"
	"mutsumi/backend/fault"
	"mutsumi/backend/language"
	"mutsumi/backend/notebook"
	"mutsumi/backend/workspace"
)

// Heartbeat is the longest silence of the event stream: the web view never cancels a request, so a
// failed write is the only sign that a reader is gone.
const Heartbeat = 5 * time.Second

// Largest bodies that are read, in bytes.
const (
	maxImage = 64 << 20
	maxJSON  = 64 << 20
)

// New returns the handler of /api/ for a workspace, and of /preferences.js, which the page loads
// before its own scripts: what its first paint needs of the preferences, and its texts.
func New(ws *workspace.Workspace) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/events", func(w http.ResponseWriter, r *http.Request) {
		if window := r.URL.Query().Get("window"); window != "" {
			defer ws.Follow(window)()
		}
		events(w, r, ws.Events())
	})
	mux.HandleFunc("GET /api/notebook", reply(func(r *http.Request) (any, error) {
		q := r.URL.Query()
		if window := q.Get("window"); window != "" {
			return ws.Show(q.Get("path"), window)
		}
		return ws.Notebook(q.Get("path"))
	}))
	mux.HandleFunc("POST /api/cells", reply(func(r *http.Request) (any, error) {
		var q struct {
			Path string   `json:"path"`
			IDs  []string `json:"ids"`
		}
		if err := readJSON(r, &q); err != nil {
			return nil, err
		}
		seq, cells, err := ws.Cells(q.Path, q.IDs)
		return Cells{seq, cells}, err
	}))
	mux.HandleFunc("GET /api/message", reply(func(r *http.Request) (any, error) {
		q := r.URL.Query()
		index, err := strconv.Atoi(q.Get("index"))
		if err != nil {
			return nil, fault.New(fault.Invalid, "message index %q is not a number", q.Get("index"))
		}
		return ws.Message(q.Get("path"), q.Get("cell"), index)
	}))
	mux.HandleFunc("GET /api/text", func(w http.ResponseWriter, r *http.Request) {
		text, err := ws.RawText(r.URL.Query().Get("path"))
		writeText(w, text, err)
	})
	mux.HandleFunc("GET /api/image", func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		img, err := ws.Image(q.Get("path"), q.Get("src"), q.Get("thumb") != "")
		if err != nil {
			writeFault(w, err)
			return
		}
		w.Header().Set("Content-Type", img.MIME)
		if img.About != "" {
			w.Header().Set("X-Document", img.About)
		}
		w.Header().Set("X-Image-Size", fmt.Sprintf("%dx%d", img.Width, img.Height))
		harmless(w)
		w.Write(img.Bytes)
	})
	mux.HandleFunc("POST /api/image", reply(func(r *http.Request) (any, error) {
		data, err := io.ReadAll(io.LimitReader(r.Body, maxImage+1))
		if err != nil {
			return nil, fmt.Errorf("read the pasted image: %w", err)
		}
		if len(data) > maxImage {
			return nil, fault.New(fault.Invalid, "the image is larger than %d MB", maxImage>>20)
		}
		return ws.InsertBytes(r.URL.Query().Get("path"), r.URL.Query().Get("name"), data)
	}))
	mux.HandleFunc("POST /api/preview", reply(func(r *http.Request) (any, error) {
		q, err := readDraft(r)
		if err != nil {
			return nil, err
		}
		return ws.Preview(r.Context(), q.Path, q.Cell, q.Draft)
	}))
	mux.HandleFunc("POST /api/request", func(w http.ResponseWriter, r *http.Request) {
		q, err := readDraft(r)
		var body []byte
		if err == nil {
			body, err = ws.RequestBody(r.Context(), q.Path, q.Cell, q.Draft)
		}
		writeText(w, body, err)
	})
	mux.HandleFunc("GET /api/complete", reply(func(r *http.Request) (any, error) {
		q := r.URL.Query()
		items, err := ws.Complete(q.Get("path"), q.Get("kind"), q.Get("q"))
		return Completions{items}, err
	}))
	mux.HandleFunc("GET /api/file", reply(func(r *http.Request) (any, error) {
		return ws.File(r.URL.Query().Get("path"), r.URL.Query().Get("ref"))
	}))
	mux.HandleFunc("GET /api/rule", func(w http.ResponseWriter, r *http.Request) {
		text, err := ws.Rule(r.URL.Query().Get("name"))
		writeText(w, []byte(text), err)
	})
	mux.HandleFunc("GET /preferences.js", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		appearance, err := json.Marshal(ws.Appearance())
		if err != nil {
			panic(err) // a text and a number
		}
		fmt.Fprintf(w, "globalThis.mutsumiAppearance = %s\n", appearance)
		w.Write(language.Script(ws.Language(r.Header.Get("Accept-Language"))))
	})
	mux.HandleFunc("/api/", func(w http.ResponseWriter, r *http.Request) {
		writeFault(w, fault.New(fault.NotFound, "there is no %s %s", r.Method, r.URL.Path))
	})
	return mux
}

// draft is a prompt as typed so far, and where it is.
type draft struct {
	Path  string `json:"path"`
	Cell  string `json:"cell"`
	Draft string `json:"draft"`
}

func readDraft(r *http.Request) (d draft, err error) {
	err = readJSON(r, &d)
	return d, err
}

// Cells answers POST /api/cells: bodies, and the number of the last event in them.
type Cells struct {
	Seq   uint64              `json:"seq"`
	Cells []notebook.CellView `json:"cells"`
}

// Completions answers GET /api/complete.
type Completions struct {
	Items []complete.Item `json:"items"`
}

// events streams the outbox as ndjson from the number in ?since= until the
// reader disconnects. Heartbeats are sent while nothing happens; after a gap a
// reset names the event number to load the state for.
func events(w http.ResponseWriter, r *http.Request, out *event.Outbox) {
	since, err := strconv.ParseUint(r.URL.Query().Get("since"), 10, 64)
	if err != nil {
		writeFault(w, fault.New(fault.Invalid, "since=%q is not an event number", r.URL.Query().Get("since")))
		return
	}
	w.Header().Set("Content-Type", "application/x-ndjson")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Accel-Buffering", "no")
	flush := func() {}
	if f, ok := w.(http.Flusher); ok {
		flush = f.Flush
	}
	say := func(line string) bool {
		_, err := io.WriteString(w, line)
		flush()
		return err == nil
	}
	if !say("{\"seq\":0,\"type\":\"heartbeat\"}\n") {
		return
	}
	for r.Context().Err() == nil {
		ctx, cancel := context.WithTimeout(r.Context(), Heartbeat)
		lines, err := out.Read(ctx, since)
		cancel()
		switch {
		case errors.Is(err, event.ErrGap):
			since = out.Seq()
			if !say(fmt.Sprintf("{\"seq\":%d,\"type\":\"reset\"}\n", since)) {
				return
			}
		case lines == nil:
			if !say("{\"seq\":0,\"type\":\"heartbeat\"}\n") {
				return
			}
		default:
			var batch []byte
			for _, line := range lines {
				batch = append(batch, line...)
			}
			if _, err := w.Write(batch); err != nil {
				return
			}
			flush()
			since += uint64(len(lines))
		}
	}
}

// reply makes a handler of a function that answers with JSON.
func reply(f func(*http.Request) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		v, err := f(r)
		if err != nil {
			writeFault(w, err)
			return
		}
		writeJSON(w, http.StatusOK, v)
	}
}

func readJSON(r *http.Request, v any) error {
	b, err := io.ReadAll(io.LimitReader(r.Body, maxJSON+1))
	if err != nil {
		return fmt.Errorf("read the request: %w", err)
	}
	if len(b) > maxJSON {
		return fault.New(fault.Invalid, "the request is larger than %d MB", maxJSON>>20)
	}
	if err := json.Unmarshal(b, v); err != nil {
		return fault.New(fault.Invalid, "read the request: %w", err)
	}
	return nil
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	b, err := json.Marshal(v)
	if err != nil {
		status, b = http.StatusInternalServerError, []byte(fault.JSON(err))
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	harmless(w)
	w.WriteHeader(status)
	w.Write(b)
}

func writeText(w http.ResponseWriter, text []byte, err error) {
	if err != nil {
		writeFault(w, err)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	harmless(w)
	w.Write(text)
}

// harmless keeps data from a file or a model from being rendered as a page.
func harmless(w http.ResponseWriter) {
	h := w.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	h.Set("Cache-Control", "no-store")
}

var statusOf = map[fault.Kind]int{
	fault.Invalid: http.StatusBadRequest, fault.NotFound: http.StatusNotFound, fault.Denied: http.StatusForbidden,
	fault.Conflict: http.StatusConflict, fault.Canceled: http.StatusConflict, fault.Provider: http.StatusBadGateway,
	fault.Internal: http.StatusInternalServerError,
}

func writeFault(w http.ResponseWriter, err error) {
	f := fault.Of(err)
	writeJSON(w, statusOf[f.Kind], f)
}
