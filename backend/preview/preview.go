package preview

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"time"

	"mutsumi/backend/documents"
	"mutsumi/backend/inspect"
	"mutsumi/backend/notebook"
	"mutsumi/backend/request"
)

// maxShownText is how many bytes of a segment a preview shows.
const maxShownText = 64 << 10

// Preview returns the whole next request of a cell, segment by segment, and its differences from
// the last sent request.
func (pv *Previewer) Preview(ctx context.Context, path, cell, draft string) (Preview, error) {
	spec, err := pv.with.Runs.NextSpec(path, cell, draft, false)
	if err != nil {
		return Preview{}, err
	}
	u, body, err := pv.whole(ctx, spec)
	if err != nil {
		return Preview{}, err
	}
	numbers := map[string]int{}
	err = pv.with.Registry.With(path, func(_ *documents.Tx, nb *notebook.Document) error {
		numbers = nb.Summaries().Numbers()
		return nil
	})
	if err != nil {
		return Preview{}, err
	}
	last := pv.with.Kept.Request(u.Agent.UUID)
	this := u.request.Record(u.wire)
	v := Preview{
		Path: path, Cell: u.Cell, Request: last.Number + 1, Window: u.Endpoint.Model.ContextTokens, Model: u.Endpoint.Model.ID,
		Parameters: []Parameter{}, Messages: make([]Message, 0, len(this.Messages)), Removed: []Segment{},
		Warnings: pv.warnings(u),
	}
	if body != nil {
		sum := sha256.Sum256(body)
		v.Bytes, v.SHA256 = len(body), hex.EncodeToString(sum[:])
		if _, v.Parameters, err = outlineOf(body); err != nil {
			return Preview{}, err
		}
	}
	compared := inspect.Compare(last, this)
	v.Cache = compared.Cache
	manner := request.CacheOf(u.Endpoint)
	begin, _ := inspect.Beginning(last, this, time.Now())
	v.Expected = Expected{Kind: manner.Kind, AgoMs: begin.Ago.Milliseconds(), Least: manner.Least}
	v.Expected.Tokens, v.Expected.Expired = manner.Expect(begin)
	for _, s := range compared.Removed {
		v.Removed = append(v.Removed, segmentView(s, "removed"))
	}
	shown := pv.pictures()
	for m, message := range this.Messages {
		pm := Message{
			Role: message.Role, Name: message.Name, CallID: message.CallID, Parts: message.Parts, Cell: message.Cell, Number: numbers[message.Cell],
			Segments: []Segment{},
		}
		for s, segment := range message.Segments {
			ps := segmentView(segment, "same")
			if ps.Given {
				ps.Picture = shown.of(segment.Text, previewSide)
			}
			if c, ok := compared.Changes[inspect.At{Message: m, Segment: s}]; ok {
				ps.State, ps.Diff, ps.Added, ps.Deleted = c.State, c.Diff, c.Added, c.Deleted
			}
			pm.Tokens += segment.Tokens
			pm.Segments = append(pm.Segments, ps)
		}
		v.Tokens += pm.Tokens
		v.Messages = append(v.Messages, pm)
	}
	v.Cost = float64(v.Tokens) * u.Endpoint.Model.InputPrice / 1e6
	return v, nil
}

// RequestBody returns the body of the next request of a cell, byte for byte.
func (pv *Previewer) RequestBody(ctx context.Context, path, cell, draft string) ([]byte, error) {
	spec, err := pv.with.Runs.NextSpec(path, cell, draft, false)
	if err != nil {
		return nil, err
	}
	spec.OnlyMessages = true
	u, next, err := pv.draft(ctx, spec)
	if err != nil {
		return nil, err
	}
	return bodyOf(next.Sent, u.wire)
}

func segmentView(s inspect.Segment, state string) Segment {
	text, cut := s.Short(maxShownText)
	return Segment{
		ID: s.ID, Kind: string(s.Kind), Source: s.Source, Cell: s.Cell, Place: string(s.Place), Piece: s.Piece, Text: text, Cut: cut,
		Tokens: s.Tokens, Estimated: s.Estimated, Note: s.Note, Given: s.Given, State: state, Diff: []inspect.DiffLine{},
	}
}
