package offer

import (
	"errors"
	"strings"
	"testing"

	"mutsumi/backend/chat"
	"mutsumi/backend/mcp/client"
)

func TestResults(t *testing.T) {
	image := func(name string, data []byte) (chat.Part, string, error) {
		if string(data) == "bad" {
			return chat.Part{}, "", errors.New("no image")
		}
		return chat.Part{Type: chat.PartImage}, "1x1", nil
	}
	text := func(s string) client.Part { return client.Part{Kind: client.Text, Text: s} }
	r := ResultOf(client.Result{Structured: []byte(`{"n":1}`), Parts: []client.Part{
		text("a"), {Kind: client.Image, MIME: "image/gif", Data: []byte("good")}, {Kind: client.Image, MIME: "image/gif", Data: []byte("bad")},
		{Kind: client.Audio, MIME: "audio/wav", Data: []byte{1, 2}}, {Kind: client.Link, Text: "b", URI: "file:///b\u202e"}, {Kind: client.Text, URI: "file:///c", Text: "c"},
	}}, image)
	want := "a\n[image 1: 1x1]\n[image/gif of 3 bytes, which cannot be shown: no image]\n[audio audio/wav of 2 bytes, which cannot be shown]\n[resource b: file:///b<U+202E>]\n[file:///c]\nc"
	if r.Content != want || len(r.Images) != 1 || r.IsError {
		t.Errorf("%q %+v", r.Content, r)
	}
	if r := ResultOf(client.Result{Structured: []byte(`{"n":1}`)}, nil); r.Content != `{"n":1}` {
		t.Errorf("%+v", r)
	}
	if r := ResultOf(client.Result{IsError: true}, nil); !r.IsError || !strings.Contains(r.Content, "without saying why") {
		t.Errorf("%+v", r)
	}
	many := client.Result{}
	for range 30 {
		many.Parts = append(many.Parts, client.Part{Kind: client.Image, Data: []byte("good")})
	}
	if r := ResultOf(many, image); len(r.Images) != maxImages {
		t.Errorf("%d images", len(r.Images))
	}
}
