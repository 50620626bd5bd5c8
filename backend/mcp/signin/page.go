package signin

import (
	"html/template"
	"net/http"
)

// page is what the browser shows at the end: our own words only, none of the server's.
var page = template.Must(template.New("").Parse(`<!doctype html>
<html>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Mutsumi</title>
<style>
body { margin: 20vh auto 0; max-width: 30em; padding: 0 1.5em; font: 1rem/1.5 system-ui, sans-serif }
h1 { font-size: 1.25rem; font-weight: 600 }
</style>
</head>
<body>
<h1>{{.Title}}</h1>
<p>{{.Text}}</p>
</body>
</html>
`))

// Texts of the page at which the browser ends up, in English. They are keys in the catalogues of
// other languages.
const (
	SignedIn     = "You are signed in"
	SignedInText = "Close this page and go back to Mutsumi."
	NotSignedIn  = "You are not signed in"
	FailedText   = "Go back to Mutsumi: it says why, and lets you try again."
	StrayText    = "This is not the answer to a sign-in that Mutsumi waits for. Begin again there."
)

func (a *Attempt) show(w http.ResponseWriter, status int, title, text string) {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	h.Set("Connection", "close")
	w.WriteHeader(status)
	page.Execute(w, map[string]string{"Title": a.say(title), "Text": a.say(text)})
}
