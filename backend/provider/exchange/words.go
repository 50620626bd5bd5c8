package exchange

import (
	"encoding/json"
	"html"
	"strings"
	"unicode"

	"mutsumi/backend/clip"
	"mutsumi/backend/lazyregexp"
)

// maxWords is how many bytes of a server's text a message quotes.
const maxWords = 400

var (
	tags   = lazyregexp.New(`(?s)<(script|style)\b.*?</(script|style)>|<!--.*?-->|<[^>]*>`)
	keyish = lazyregexp.New(`\b(sk|pk|key|gsk|xai|AIza)[-_][A-Za-z0-9_*-]{8,}|(?i:bearer)\s+[^\s"',]{8,}`)
)

// serverWords finds the message in the body of an error, whatever its form: {"error":{"message"}},
// {"error":"text"}, {"message"}, {"detail"}, a list with one of these, HTML, plain text. code is
// the error's own code or type, "" if it has none.
func serverWords(body []byte) (text, code string) {
	var v any
	if json.Unmarshal(body, &v) == nil {
		text, code = dig(v, 0)
		if text == "" {
			text = string(body)
		}
		return text, code
	}
	text = string(body)
	if t := strings.TrimSpace(text); strings.HasPrefix(t, "<") {
		text = html.UnescapeString(tags.ReplaceAllString(text, " "))
	}
	return text, ""
}

func dig(v any, depth int) (text, code string) {
	if depth > 6 {
		return "", ""
	}
	switch v := v.(type) {
	case string:
		return v, ""
	case []any:
		if len(v) > 0 && depth == 0 {
			return dig(v[0], depth+1)
		}
		if b, err := json.Marshal(v); err == nil && len(v) > 0 {
			return string(b), ""
		}
	case map[string]any:
		for _, k := range []string{"error", "errors", "message", "detail", "msg"} {
			if v[k] == nil {
				continue
			}
			if text, code = dig(v[k], depth+1); text == "" {
				continue
			}
			if m, ok := v["metadata"].(map[string]any); ok { // OpenRouter: the text of the server behind it
				if raw, ok := m["raw"].(string); ok {
					more, _ := serverWords([]byte(raw))
					text += ": " + more
				}
			}
			for _, k := range []string{"code", "type", "status"} {
				if s := scalar(v[k]); s != "" && code == "" {
					code = s
				}
			}
			return text, code
		}
	}
	return "", ""
}

func scalar(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case float64:
		b, _ := json.Marshal(v)
		return string(b)
	}
	return ""
}

// quote makes foreign text fit for a message: one line, no control characters,
// no key, at most maxWords long, in quotation marks, with a full stop if it has none.
func quote(s string, key []byte) string {
	s = clean(s, key)
	if strings.HasSuffix(s, ".") || strings.HasSuffix(s, "!") || strings.HasSuffix(s, "?") {
		return `"` + s + `"`
	}
	return `"` + s + `".`
}

func clean(s string, key []byte) string {
	if len(s) > 16*maxWords {
		s = s[:16*maxWords]
	}
	s = scrub(strings.ToValidUTF8(s, "\uFFFD"), string(key))
	s = strings.Join(strings.FieldsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
	s = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) {
			return -1 // no direction marks: they can turn a message around
		}
		return r
	}, s)
	if len(s) > maxWords {
		s = clip.Bytes(s, maxWords) + "…"
	}
	return s
}

// shown is the length of the shortest part of a key that counts as showing it.
const shown = 8

// scrub removes the key from s, even if only a part of it is quoted, and anything else that looks
// like a key.
func scrub(s, key string) string {
	s = keyish.ReplaceAllString(s, "***")
	if len(key) >= 4 {
		s = strings.ReplaceAll(s, key, "***")
	}
	if len(key) < 2*shown {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		if i+shown <= len(s) && strings.Contains(key, s[i:i+shown]) {
			n := shown
			for i+n < len(s) && strings.Contains(key, s[i:i+n+1]) {
				n++
			}
			b.WriteString("***")
			i += n
			continue
		}
		b.WriteByte(s[i])
		i++
	}
	return b.String()
}
