package ledger_test

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"mutsumi/backend/chat"
	"mutsumi/backend/fingerprint"
	"mutsumi/backend/ledger"
)

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

func sent(body string, attempt int) ledger.Request {
	return ledger.Of([]byte(body), fingerprint.Of([]byte(body)), "Server at example.com", "m", "c1", attempt, noon)
}

func body(text string) string {
	return `{"model":"m","stream":true,"temperature":0.5,"tools":[{"type":"function","function":{"name":"ls"}},{"name":"cat"}],"system":"secret","messages":[` + text + `]}`
}

func TestARecordIsReadAsItWasWritten(t *testing.T) {
	file := filepath.Join(t.TempDir(), "requests", "a.jsonl")
	if all, err := ledger.Read(file, 0); all != nil || err != nil {
		t.Error(all, err)
	}
	s := ledger.NewStore()
	long := strings.Repeat("word ", 2000)
	texts := []string{body(long), body(long + "more"), body(long + "more"), body("other"), ""}
	for i, text := range texts {
		n, err := s.Sent(file, sent(text, 1+i%2))
		if n != i+1 || err != nil {
			t.Fatal(n, err)
		}
	}
	answer := ledger.Answer{Took: 5, Model: "m-1", Finish: "stop", Usage: &chat.Usage{Input: 3}, Calls: []ledger.Hash{{ID: "a", Name: "ls", SHA256: "00"}}}
	if err := s.Answered(file, 2, answer); err != nil {
		t.Fatal(err)
	}
	for i, text := range texts {
		all, err := ledger.Read(file, i+1)
		if err != nil || len(all) != len(texts) {
			t.Fatal(len(all), err)
		}
		if same, _ := all[i].Print().Compare(fingerprint.Of([]byte(text))); !same || !reflect.DeepEqual(all[i].Print(), fingerprint.Of([]byte(text))) {
			t.Errorf("request %d has another fingerprint", i+1)
		}
	}
	all, _ := ledger.Read(file, 2)
	if same, from := all[1].Print().Compare(fingerprint.Of([]byte(texts[0]))); same || from != int64(len(texts[0])-2)/512*512 {
		t.Error(same, from)
	}
	r := all[1]
	if string(r.Parameters) != `{"stream":true,"temperature":0.5}` || r.Attempt != 2 || r.Cell != "c1" || !r.Time.Equal(noon) || len(r.Tools) != 2 || r.Tools[0].Name != "ls" || r.Tools[1].Name != "cat" {
		t.Errorf("%+v", r)
	}
	if !reflect.DeepEqual(*r.Answer, answer) || all[0].Answer != nil {
		t.Errorf("%+v", r.Answer)
	}
	text, err := os.ReadFile(file)
	if err != nil || bytes.Contains(text, []byte("secret")) || bytes.Contains(text, []byte("word")) {
		t.Errorf("texts are kept: %s", text)
	}
	if len(text) > 5*1000 {
		t.Errorf("%d bytes: unchanged parts are written again", len(text))
	}
}

// Only the new part of a body costs anything.
func TestAConversationThatGrows(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a")
	s := ledger.NewStore()
	text := strings.Repeat("0123456789abcdef", 1<<13) // 128 KiB
	for range 50 {
		text += strings.Repeat("x", 1000)
		if _, err := s.Sent(file, sent(text, 1)); err != nil {
			t.Fatal(err)
		}
	}
	info, err := os.Stat(file)
	if err != nil || info.Size() > 40<<10 {
		t.Errorf("%d bytes, %v", info.Size(), err)
	}
}

// Another process, and this one started again, go on where the file ends; a torn line
// is cut off and hides nothing.
func TestATornLine(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a")
	text := body(strings.Repeat("word ", 1000))
	for i := range 4 {
		if n, err := ledger.NewStore().Sent(file, sent(text, 1)); n != i+1 || err != nil {
			t.Fatal(n, err)
		}
		whole, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		last := whole[bytes.LastIndexByte(whole[:len(whole)-1], '\n')+1:]
		for _, cut := range []int{1, len(last) / 2, len(last) - 1} {
			torn := append(bytes.Clone(whole), last[:cut]...)
			if err := os.WriteFile(file, torn, 0o600); err != nil {
				t.Fatal(err)
			}
			if all, err := ledger.Read(file, 0); len(all) != i+1 || err != nil {
				t.Fatalf("cut at %d: %d requests, %v", cut, len(all), err)
			}
		}
	}
	all, err := ledger.Read(file, 0)
	if err != nil || len(all) != 4 {
		t.Fatal(len(all), err)
	}
	if same, _ := all[3].Print().Compare(fingerprint.Of([]byte(text))); !same {
		t.Error("the last one differs")
	}
}

func TestARecordStaysSmall(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a")
	s := ledger.NewStore()
	number := 0
	var print fingerprint.Print
	for i := range 40 {
		print = fingerprint.Print{Bytes: 16 << 20, SHA256: [32]byte{byte(i)}}
		for k := range 32 << 10 { // of 16 MiB, all new
			print.Chunks = append(print.Chunks, uint32(i<<16+k))
		}
		var err error
		if number, err = s.Sent(file, ledger.Of(nil, print, "", "m", "", 1, noon)); err != nil {
			t.Fatal(err)
		}
		if err := s.Answered(file, number, ledger.Answer{Finish: "stop"}); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(file); err != nil || info.Size() > 5<<20 {
			t.Fatalf("%d bytes, %v", info.Size(), err)
		}
	}
	all, err := ledger.Read(file, 0)
	if err != nil || len(all) < 5 || all[len(all)-1].Number != 40 || number != 40 {
		t.Fatal(len(all), number, err)
	}
	for i, r := range all {
		if i > 0 && r.Number != all[i-1].Number+1 || r.Answer == nil {
			t.Errorf("request %d after %d, %v", r.Number, all[max(0, i-1)].Number, r.Answer)
		}
	}
	if !reflect.DeepEqual(all[len(all)-1].Print(), print) {
		t.Error("the last one has another fingerprint")
	}
}

func TestNonsenseIsPassedOver(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a")
	if err := os.WriteFile(file, []byte("x\n{}\n[1]\n{\"sent\":{\"number\":7,\"same\":9,\"chunks\":\"!\"}}\n{\"answer\":{\"to\":8}}\n\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if n, err := ledger.NewStore().Sent(file, sent(body("a"), 1)); n != 8 || err != nil {
		t.Fatal(n, err)
	}
	all, err := ledger.Read(file, 7)
	if err != nil || len(all) != 2 {
		t.Fatal(all, err)
	}
	if same, from := all[0].Print().Compare(fingerprint.Of([]byte("y"))); same || from != 0 && from != -1 {
		t.Error(same, from)
	}
}
