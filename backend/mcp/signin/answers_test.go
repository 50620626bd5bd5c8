package signin_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// Invalid metadata is refused before the browser opens.
func TestMetadata(t *testing.T) {
	for name, c := range map[string]struct {
		document string
		change   func(w *world, m map[string]any)
		want     string
	}{
		"another resource":         {"resource", func(w *world, m map[string]any) { m["resource"] = "https://evil.example.com/mcp" }, "not the address that is set up"},
		"a resource beside":        {"resource", func(w *world, m map[string]any) { m["resource"] = "https://" + trackerName + "/mc" }, "not the address that is set up"},
		"a resource of http":       {"resource", func(w *world, m map[string]any) { m["resource"] = "http://" + trackerName + "/mcp" }, "not the address that is set up"},
		"no place":                 {"resource", func(w *world, m map[string]any) { m["authorization_servers"] = []string{} }, "does not say where"},
		"a place of http":          {"resource", func(w *world, m map[string]any) { m["authorization_servers"] = []string{"http://" + authName} }, "https://"},
		"a place that is a script": {"resource", func(w *world, m map[string]any) { m["authorization_servers"] = []string{"javascript:alert(1)"} }, "cannot be used"},
		"another issuer":           {"issuer", func(w *world, m map[string]any) { m["issuer"] = "https://evil.example.com" }, "not who was asked"},
		"no PKCE":                  {"issuer", func(w *world, m map[string]any) { delete(m, "code_challenge_methods_supported") }, "PKCE"},
		"plain PKCE":               {"issuer", func(w *world, m map[string]any) { m["code_challenge_methods_supported"] = []string{"plain"} }, "PKCE"},
		"a script to open":         {"issuer", func(w *world, m map[string]any) { m["authorization_endpoint"] = "javascript:alert(1)" }, "cannot be used"},
		"a file to open":           {"issuer", func(w *world, m map[string]any) { m["authorization_endpoint"] = "file:///etc/passwd" }, "cannot be used"},
		"somebody's name to open":  {"issuer", func(w *world, m map[string]any) { m["authorization_endpoint"] = "https://a@" + authName + "/x" }, "cannot be used"},
		"tokens over http":         {"issuer", func(w *world, m map[string]any) { m["token_endpoint"] = "http://" + authName + "/token" }, "https://"},
		"no registration":          {"issuer", func(w *world, m map[string]any) { delete(m, "registration_endpoint") }, "clientId"},
		"a flood":                  {"issuer", func(w *world, m map[string]any) { m["more"] = strings.Repeat("x", 300<<10) }, "more than 256 KB"},
		"an address without end": {"issuer", func(w *world, m map[string]any) {
			m["token_endpoint"] = "https://" + authName + "/" + strings.Repeat("x", 3000)
		}, "too long"},
		"an id with a line": {"register", func(w *world, m map[string]any) { m["client_id"] = "a\nb" }, "something else"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.Change = func(document string, m map[string]any) {
				if document == c.document {
					c.change(w, m)
				}
			}
			if _, err := w.session().Begin(t.Context()); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatal(err)
			}
		})
	}
}

// A harmful token endpoint ends the sign-in soon, and its error holds no secret.
func TestTokenEndpoints(t *testing.T) {
	says := func(status int, text string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			r.ParseForm()
			w.WriteHeader(status)
			io.WriteString(w, strings.NewReplacer("CODE", r.Form.Get("code"), "VERIFIER", r.Form.Get("code_verifier")).Replace(text))
		}
	}
	for name, c := range map[string]struct {
		token http.HandlerFunc
		want  string
	}{
		"hangs": {func(w http.ResponseWriter, r *http.Request) { r.ParseForm(); <-r.Context().Done() }, "too long"},
		"floods": {func(w http.ResponseWriter, r *http.Request) {
			r.ParseForm()
			for r.Context().Err() == nil {
				if _, err := w.Write(make([]byte, 64<<10)); err != nil {
					return
				}
			}
		}, "more than 256 KB"},
		"drips": {func(w http.ResponseWriter, r *http.Request) {
			r.ParseForm()
			for r.Context().Err() == nil {
				w.Write([]byte(" "))
				w.(http.Flusher).Flush()
				time.Sleep(50 * time.Millisecond)
			}
		}, "too long"},
		"no JSON":        {says(200, "<html>"), "something else"},
		"no token":       {says(200, `{"token_type":"Bearer"}`), "something else"},
		"a line":         {says(200, `{"access_token":"a\r\nX: y","token_type":"Bearer"}`), "something else"},
		"another kind":   {says(200, `{"access_token":"access-secret-1","token_type":"mac"}`), "kind"},
		"says it again":  {says(400, `{"error":"invalid_grant","error_description":"CODE VERIFIER"}`), "invalid_grant: ... ..."},
		"hidden letters": {says(400, `{"error":"a\u202eb","error_description":"\u001b[31m"}`), "gave no token"},
		"an error page":  {says(500, "CODE"), "status 500"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.Token = c.token
			if c.want == "too long" {
				w.limit = 8 * time.Second
			}
			s := w.session()
			start := time.Now()
			err := w.signIn(s)
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.ContainsAny(err.Error(), "\u202e\x1b") {
				t.Fatal(err)
			}
			if d := time.Since(start); d > time.Minute {
				t.Error("it took", d)
			}
			if s.Standing().In || w.keep.Has() {
				t.Error("somebody is signed in")
			}
		})
	}
}
