package branches

import (
	"testing"

	"mutsumi/backend/inspect"
)

func record(texts ...string) inspect.Record {
	r := inspect.Record{Number: 1}
	for _, text := range texts {
		r.Messages = append(r.Messages, inspect.Message{Role: "user", Segments: []inspect.Segment{{Source: "person", Text: text, SHA256: "sum of " + text, Tokens: 10}}})
	}
	return r
}

func TestSentDifference(t *testing.T) {
	first := record("same", "Zeit ä1", "end")
	if same, at := sentDifference(first, record("same", "Zeit ä1", "end")); same != 30 || at != nil {
		t.Errorf("%d, %+v", same, at)
	}
	// The byte is in the middle of a character: the text is shown from its beginning.
	same, at := sentDifference(first, record("same", "Zeit ö1", "end"))
	if same != 10 || at == nil || at.Message != 1 || at.Byte != 6 || at.First != "ä1" || at.This != "ö1" || at.Source != "person" {
		t.Errorf("%d, %+v", same, at)
	}
	if _, at = sentDifference(first, record("same", "Zeit ä1")); at == nil || at.Message != 2 || at.Byte != 0 || at.First != "end" || at.This != "" {
		t.Errorf("%+v", at)
	}
	large := record("same", "Zeit ä2", "end")
	large.Messages[1].Segments[0].Text = ""
	if _, at = sentDifference(first, large); at == nil || at.Byte != -1 || at.First != "" {
		t.Errorf("%+v", at)
	}
}
