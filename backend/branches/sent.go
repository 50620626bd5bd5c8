package branches

import (
	"mutsumi/backend/clip"
	"mutsumi/backend/documents"
	"mutsumi/backend/inspect"
	"mutsumi/backend/notebook"
)

// Sent is the last request of a notebook against that of another one.
type Sent struct {
	Path     string         `json:"path"`
	Number   int            `json:"number"` // of the request; 0: nothing was sent, or it is no longer kept
	AtMs     int64          `json:"atMs"`   // Unix milliseconds
	Model    string         `json:"model"`
	Messages int            `json:"messages"`
	Tokens   int            `json:"tokens"`
	Same     int            `json:"same"` // tokens at the beginning that are the same as in the first notebook's
	Differs  *SentDifferent `json:"differs,omitempty"`
}

// SentDifferent is the first byte in which a request differs from the first notebook's.
type SentDifferent struct {
	Message int    `json:"message"` // from 0; the definitions of tools count as one
	Role    string `json:"role"`
	Source  string `json:"source"` // what the bytes belong to
	Byte    int    `json:"byte"`   // in that part; -1: its text is too large to be kept
	First   string `json:"first"`  // the text from there on in the first notebook's; "": it ends there
	This    string `json:"this"`
}

// sentShown is how much text is shown after the first differing byte.
const sentShown = 400

// CompareSent compares the last request of each notebook with that of the first. Errors:
// NotFound.
func (c *Calls) CompareSent(paths []string) ([]Sent, error) {
	all := make([]Sent, 0, len(paths))
	var first inspect.Record
	for i, path := range paths {
		var uuid string
		err := c.with.Registry.With(path, func(tx *documents.Tx, _ *notebook.Document) error {
			uuid = tx.Agent().UUID
			return nil
		})
		if err != nil {
			return nil, err
		}
		r := c.with.Kept.Request(uuid)
		s := Sent{Path: path, Number: r.Number, AtMs: r.SentMs, Model: r.Model, Messages: len(r.Messages)}
		for _, m := range r.Messages {
			for _, x := range m.Segments {
				s.Tokens += x.Tokens
			}
		}
		if i == 0 {
			first = r
			s.Same = s.Tokens
		} else if r.Number > 0 && first.Number > 0 {
			s.Same, s.Differs = sentDifference(first, r)
		}
		all = append(all, s)
	}
	return all, nil
}

// sentDifference returns how many leading tokens two requests share, and where they first differ;
// nil if they are equal.
func sentDifference(first, this inspect.Record) (same int, at *SentDifferent) {
	for i := range max(len(first.Messages), len(this.Messages)) {
		var a, b inspect.Message
		if i < len(first.Messages) {
			a = first.Messages[i]
		}
		if i < len(this.Messages) {
			b = this.Messages[i]
		}
		for k := range max(len(a.Segments), len(b.Segments)) {
			var x, y inspect.Segment
			if k < len(a.Segments) {
				x = a.Segments[k]
			}
			if k < len(b.Segments) {
				y = b.Segments[k]
			}
			if a.Role == b.Role && x.SHA256 == y.SHA256 {
				same += y.Tokens
				continue
			}
			d := &SentDifferent{Message: i, Role: b.Role, Source: y.Source, Byte: -1}
			if y.SHA256 == "" {
				d.Role, d.Source = a.Role, x.Source
			}
			if (x.Text != "" || x.SHA256 == "") && (y.Text != "" || y.SHA256 == "") {
				n := 0
				for n < len(x.Text) && n < len(y.Text) && x.Text[n] == y.Text[n] {
					n++
				}
				d.Byte = n
				n = len(clip.Bytes(x.Text, n)) // where the character begins that the byte belongs to
				d.First, d.This = clip.Bytes(x.Text[n:], sentShown), clip.Bytes(y.Text[n:], sentShown)
			}
			return same, d
		}
	}
	return same, nil
}
