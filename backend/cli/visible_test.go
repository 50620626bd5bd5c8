//go:build unix

package cli_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/creack/pty"
)

const escapes = "a\x1b]52;c;eA==\x07b\x1b[2Jc\u202ed\u009be\u200bf \u00e9\U0001F468\u200D\U0001F469"

// Text from names and files does not control a terminal, and is unchanged in a pipe.
func TestNoTextControlsTheTerminal(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, ".mutsumi/a.mtm", strings.Replace(empty, `"Agent"`, `"a\u001b]52;c;eA==\u0007b\u001b[2Jc\u202ed\u009be\u200bf é👨‍👩"`, 1))
	write(t, dir, "b.txt", escapes+"\r\nnext\n")
	for _, args := range [][]string{{"tree", dir}, {"preprocess", filepath.Join(dir, "b.txt")}} {
		piped, _, status := call(t, "", nil, args...)
		if status != 0 || !strings.Contains(piped, escapes) {
			t.Errorf("%v into a pipe: %d %q", args, status, piped)
		}
		cmd := command(t, nil, args...)
		terminal, err := pty.Start(cmd)
		if err != nil {
			t.Fatal(err)
		}
		shown, _ := io.ReadAll(terminal) // ends with an error of the terminal when the program has ended
		if err := cmd.Wait(); err != nil {
			t.Errorf("%v: %v", args, err)
		}
		terminal.Close()
		if text := string(shown); strings.ContainsAny(text, "\x1b\x07\u202e\u009b\u200b") || !strings.Contains(text, `a\x1b]52;c;eA==\x07b\x1b[2Jc<U+202E>d<U+009B>e<U+200B>f `+"\u00e9\U0001F468\u200D\U0001F469") || strings.Contains(text, `\x0d`) {
			t.Errorf("%v on a terminal: %q", args, text)
		}
	}
	for _, args := range [][]string{{"tree", filepath.Join(dir, "no\x1b[2J\u202e")}, {"\x1b[2J"}, {"notebook", "fmt", filepath.Join(dir, "\x1b]0;x\x07")}, {"run", "--approve", "\x1bc", "x"}} {
		if _, errs, status := call(t, "", nil, args...); status == 0 || strings.ContainsAny(errs, "\x1b\x07\u202e") || !strings.Contains(errs, `\x1b`) {
			t.Errorf("%q: %d %q", args, status, errs)
		}
	}
}

// Commands that run nothing ask no server for models, whatever keys exist.
func TestCommandsWithoutAModelAskNoServer(t *testing.T) {
	var asked atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		http.Error(w, "no", http.StatusNotFound)
	}))
	defer server.Close()
	dir := t.TempDir()
	for i := range 50 {
		write(t, dir, filepath.Join("sub", strings.Repeat("x", i+1)+".mtm"), empty)
	}
	file := filepath.Join(dir, "sub", "x.mtm")
	env := []string{"OPENAI_API_KEY=sk-test", "OPENAI_BASE_URL=" + server.URL + "/v1"}
	for _, args := range [][]string{
		{"tree", dir}, {"tree", dir, "--json"}, {"notebook", "fmt", file}, {"notebook", "cells", "--json", file}, {"preprocess", file}, {"assemble", "--workspace", dir, file}, {"version"}, {"help"},
	} {
		if _, errs, status := call(t, "", env, args...); status != 0 {
			t.Errorf("%v: %d %s", args, status, errs)
		}
		if n := asked.Swap(0); n > 0 {
			t.Errorf("%v: %d requests", args, n)
		}
	}
}
