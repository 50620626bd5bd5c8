package cli_test

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"mutsumi/backend/provider/providertest"
)

// A provider in the settings file is addressed in its protocol; the preview shows what is sent;
// items that a model wants back with its answer are in the notebook, and are sent back in the next
// turn of another process.
func TestProvidersOfOtherProtocols(t *testing.T) {
	for wire, path := range map[string]string{"responses": "/v1/responses", "anthropic": "/v1/messages"} {
		t.Run(wire, func(t *testing.T) {
			server := providertest.New(t, "answer times 2\nreasoning Hm\nsign Sig+/=\ntext Fine.\nusage 9 1\nanswer\ntext Fine.\nusage 9 1")
			home := t.TempDir()
			write(t, home, "settings.yaml", "providers:\n  - id: other\n    baseUrl: "+server.URL+"\n    wire: "+wire+"\n    models: [m]\npreferences:\n  defaultProvider: other\n")
			env := []string{"MUTSUMI_CONFIG=" + home}
			folder := t.TempDir()
			write(t, folder, "a.mtm", empty)
			file := filepath.Join(folder, "a.mtm")
			for i, prompt := range []string{"first", "second"} {
				out, errs, status := call(t, "", env, "context", file, "--json", "--trust", "--prompt", prompt)
				var shown wireShown
				if err := json.Unmarshal([]byte(out), &shown); err != nil || status != 0 {
					t.Fatalf("status %d, %v, %s", status, err, errs)
				}
				if _, errs, status := call(t, "", env, "run", file, "--trust", "--prompt", prompt); status != 0 {
					t.Fatalf("status %d, %s", status, errs)
				}
				got := server.Requests()[i]
				var request bytes.Buffer
				if err := json.Compact(&request, shown.Request); err != nil {
					t.Fatal(err)
				}
				same(t, "context and what the command line sent", request.Bytes(), got.Body)
				if got.Path != path || strings.Contains(string(got.Body), "Sig+/=") != (i == 1) {
					t.Errorf("request %d to %s: %s", i, got.Path, got.Body)
				}
			}
			// Another maker is not sent it, with the same protocol and the same model's name; its own is, again.
			other := providertest.New(t, "answer always\ntext Fine.\nusage 9 1")
			local := strings.Replace(other.URL, "127.0.0.1", "localhost", 1)
			choose := func(url string) {
				write(t, home, "settings.yaml", "providers:\n  - id: other\n    baseUrl: "+url+"\n    wire: "+wire+"\n    models: [m]\npreferences:\n  defaultProvider: other\n")
			}
			turn := func(prompt string) {
				if _, errs, status := call(t, "", env, "run", file, "--trust", "--prompt", prompt); status != 0 {
					t.Fatalf("status %d, %s", status, errs)
				}
			}
			choose(local)
			turn("third")
			if body := string(other.Requests()[0].Body); strings.Contains(body, "Sig+/=") || !strings.Contains(body, "Fine.") {
				t.Errorf("another server got %s", body)
			}
			choose(server.URL)
			turn("fourth")
			if body := string(server.Requests()[2].Body); strings.Count(body, "Sig+/=") != 2 {
				t.Errorf("its own server got %s", body)
			}
			if text := read(t, file); strings.Count(text, "Sig+/=") != 2 {
				t.Errorf("the notebook: %s", text)
			}
		})
	}
}
