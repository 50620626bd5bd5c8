package builtin

import (
	"math"
	"slices"
	"strings"

	"mutsumi/backend/lazyregexp"
)

// secretWords are parts of the names of variables that hold secrets, and secretParts parts between
// underscores in others. It is better to omit one too many.
var (
	secretWords = []string{"KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "CREDENTIAL", "COOKIE", "PRIVATE", "CONNECTION_STRING", "DATABASE_URL", "WEBHOOK"}
	secretParts = []string{"AUTH", "OAUTH", "DSN", "PAT", "PASS", "PGPASS", "PWD", "SESSION", "JWT", "CREDS", "SIGNATURE"}
)

// secretName reports whether a variable of this name is likely to hold a secret.
func secretName(name string) bool {
	upper := strings.ToUpper(name)
	if slices.ContainsFunc(secretWords, func(w string) bool { return strings.Contains(upper, w) }) {
		return true
	}
	parts := strings.FieldsFunc(upper, func(r rune) bool { return r == '_' || r == '-' || r == '.' })
	return slices.ContainsFunc(parts, func(p string) bool { return slices.Contains(secretParts, p) }) && upper != "DESKTOP_SESSION"
}

var (
	// keyShapes are the beginnings that services give their keys, tokens of
	// JSON (JWT), and private keys.
	keyShapes = lazyregexp.New(`(?:^|[^A-Za-z0-9])(?:sk[-_][A-Za-z0-9]|[srp]k_(?:live|test)_|whsec_|gh[opusr]_[A-Za-z0-9]{16}|github_pat_|glpat-|xox[abeoprs]-|(?:AKIA|ASIA)[A-Z0-9]{12}|AIza[\w-]{20}|ya29\.|hf_[A-Za-z0-9]{16}|npm_[A-Za-z0-9]{16}|pypi-[\w-]{16}|dop_v1_|SG\.[\w-]{16}|hvs\.|shpat_|lin_api_|AGE-SECRET-KEY-|eyJ[\w-]{8,}\.[\w-]{8,}\.|-----BEGIN [A-Z ]*PRIVATE KEY)`)
	// userinfo is the part before the host of an address.
	userinfo = lazyregexp.New(`[A-Za-z][A-Za-z0-9+.-]*://([^/?#\s@]+)@`)
	// named is a secret that a text names: in JSON, in a query, in a list of settings.
	named = lazyregexp.New(`(?i)(?:^|[^A-Za-z0-9])[\w.-]*(?:key|token|secret|passw(?:or)?d|passphrase|pwd|credentials?|signature|sig)\\?["']?\s*[:=]\s*\\?["']?[^\s"'&;,\\}\]]{4,}`)
	// one is a text that could be a key and nothing else.
	one = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9+/_-]{19,}={0,2}$`)
)

// secretValue reports whether a value looks like a secret, or holds one.
func secretValue(value string) bool {
	if keyShapes.MatchString(value) || named.MatchString(value) {
		return true
	}
	for _, m := range userinfo.FindAllStringSubmatch(value, -1) {
		if strings.Contains(m[1], ":") || len(m[1]) >= 16 || random(m[1]) { // "git@" and the like are no secrets
			return true
		}
	}
	return one.MatchString(value) && random(value)
}

// random reports whether a text looks drawn by chance: many different
// characters, letters among digits.
func random(s string) bool {
	counts := map[rune]int{}
	digits, lower, upper, changes, last := 0, 0, 0, 0, 0
	for _, c := range s {
		counts[c]++
		kind := 0
		switch {
		case c >= '0' && c <= '9':
			digits++
			kind = 1
		case c >= 'a' && c <= 'z':
			lower++
			kind = 2
		case c >= 'A' && c <= 'Z':
			upper++
			kind = 3
		}
		if kind != 0 && kind != last {
			changes++
			last = kind
		}
	}
	entropy := 0.0
	for _, n := range counts {
		p := float64(n) / float64(len(s))
		entropy -= p * math.Log2(p)
	}
	// Words change between kinds of characters seldom, keys all the time.
	return digits >= 2 && lower+upper >= 4 && entropy >= 3.2 && changes*4 >= len(s)
}
