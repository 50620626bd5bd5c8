package workspace

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"mutsumi/backend/inspect"
	"mutsumi/backend/notebook"
)

// shownText is how much of a stretch a preview shows, in bytes.
const shownText = 64 << 10

// Preview gives all of the next request of a cell, stretch by stretch, and how
// it differs from the last request that was sent.
func (w *Workspace) Preview(ctx context.Context, path, cell, draft string) (PreviewView, error) {
	u, err := w.next(ctx, path, cell, draft, false)
	if err != nil {
		return PreviewView{}, err
	}
	numbers := map[string]int{}
	err = w.with(path, func(_ *doc, nb *notebook.Document) error {
		for i, id := range nb.CellIDs() {
			numbers[id] = i + 1
		}
		return nil
	})
	if err != nil {
		return PreviewView{}, err
	}
	last := w.lastRequest(u.meta.UUID)
	this := u.request.Record(u.wire)
	v := PreviewView{
		Path: path, Cell: u.cell, Request: last.Number + 1, Window: u.endpoint.Model.ContextTokens, Model: u.endpoint.Model.ID,
		Parameters: []PreviewParameter{}, Messages: make([]PreviewMessage, 0, len(this.Messages)), Removed: []PreviewStretch{},
		Warnings: w.warnings(u.roots, u.built),
	}
	if u.wire != nil {
		body, err := u.body()
		if err != nil {
			return PreviewView{}, err
		}
		sum := sha256.Sum256(body)
		v.Bytes, v.SHA256, v.Parameters = len(body), hex.EncodeToString(sum[:]), parametersOf(body)
	}
	compared := inspect.Compare(last, this)
	v.Cache = compared.Cache
	for _, s := range compared.Removed {
		v.Removed = append(v.Removed, stretchView(s, "removed"))
	}
	for m, message := range this.Messages {
		pm := PreviewMessage{
			Role: message.Role, Name: message.Name, CallID: message.CallID, Parts: message.Parts, Cell: message.Cell, Number: numbers[message.Cell],
			Stretches: []PreviewStretch{},
		}
		for s, stretch := range message.Stretches {
			ps := stretchView(stretch, "same")
			if c, ok := compared.Changes[inspect.At{Message: m, Stretch: s}]; ok {
				ps.State, ps.Diff, ps.Added, ps.Deleted = c.State, c.Diff, c.Added, c.Deleted
			}
			pm.Tokens += stretch.Tokens
			pm.Stretches = append(pm.Stretches, ps)
		}
		v.Tokens += pm.Tokens
		v.Messages = append(v.Messages, pm)
	}
	v.Cost = float64(v.Tokens) * u.endpoint.Model.InputPrice / 1e6
	return v, nil
}

// RequestBody gives the text of the next request of a cell, byte for byte.
func (w *Workspace) RequestBody(ctx context.Context, path, cell, draft string) ([]byte, error) {
	u, err := w.next(ctx, path, cell, draft, false)
	if err != nil {
		return nil, err
	}
	return u.body()
}

func stretchView(s inspect.Stretch, state string) PreviewStretch {
	text, cut := s.Short(shownText)
	return PreviewStretch{
		ID: s.ID, Kind: string(s.Kind), Source: s.Source, Cell: s.Cell, Place: string(s.Place), Piece: s.Piece, Text: text, Cut: cut,
		Tokens: s.Tokens, Estimated: s.Estimated, Note: s.Note, State: state, Diff: []inspect.DiffLine{},
	}
}

// parametersOf gives the members of a body before its messages, but for the
// tools, in their order.
func parametersOf(body []byte) []PreviewParameter {
	all := []PreviewParameter{}
	d := json.NewDecoder(bytes.NewReader(body))
	if _, err := d.Token(); err != nil {
		return all
	}
	for d.More() {
		name, err := d.Token()
		if err != nil || name == "messages" {
			return all
		}
		var value json.RawMessage
		if d.Decode(&value) != nil {
			return all
		}
		if name != "tools" {
			all = append(all, PreviewParameter{fmt.Sprint(name), string(value)})
		}
	}
	return all
}

// keepRequest remembers what is sent. It is only a convenience: where it
// cannot be written, the next preview compares with an older one.
func (w *Workspace) keepRequest(notebook string, r inspect.Record) {
	r = r.Kept()
	r.Number = w.lastRequest(notebook).Number + 1
	file, err := w.requestFile(notebook)
	if err != nil || file == "" {
		return
	}
	b, err := json.Marshal(r)
	if err != nil {
		return
	}
	temp := fmt.Sprintf("%s.%d.tmp", file, os.Getpid())
	if os.WriteFile(temp, b, 0o600) == nil {
		os.Rename(temp, file)
	}
}

// lastRequest reads what was remembered; nothing is number 0.
func (w *Workspace) lastRequest(notebook string) (r inspect.Record) {
	file, err := w.requestFile(notebook)
	if err != nil || file == "" {
		return r
	}
	b, err := os.ReadFile(file)
	if err != nil || json.Unmarshal(b, &r) != nil {
		return inspect.Record{}
	}
	return r
}

// requestFile is where the last request of a notebook is remembered, by its
// identity; "" for one that has none.
func (w *Workspace) requestFile(uuid string) (string, error) {
	if uuid == "" {
		return "", nil
	}
	dir, err := requestsRoot()
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	return filepath.Join(dir, w.nameFor(uuid)+".json"), nil
}

func requestsRoot() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(cache, "mutsumi", "requests"), nil
}

// forgetRequest removes what was remembered of a notebook that was deleted.
func (w *Workspace) forgetRequest(uuid string) {
	if file, err := w.requestFile(uuid); err == nil && file != "" {
		os.Remove(file) // what stays is pruned when it is old
	}
}

// requestsLimit is how much is kept of what was sent, of all notebooks of all
// folders, in bytes.
const requestsLimit = 64 << 20

// pruneRequests removes what was sent long ago, and the oldest of what is too
// much.
func pruneRequests(now time.Time) {
	dir, err := requestsRoot()
	if err != nil {
		return
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return // there is none
	}
	var infos []fs.FileInfo
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			infos = append(infos, info)
		}
	}
	slices.SortFunc(infos, func(a, b fs.FileInfo) int { return b.ModTime().Compare(a.ModTime()) })
	total := int64(0)
	for _, info := range infos {
		if total += info.Size(); total > requestsLimit || now.Sub(info.ModTime()) > scratchAge {
			os.Remove(filepath.Join(dir, info.Name())) // what cannot be removed stays until the next start
		}
	}
}
