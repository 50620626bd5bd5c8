package builtin

import (
	"path/filepath"
	"slices"
	"strings"
)

// secretWords are parts of the names of variables that hold secrets, and
// secretParts what stands between underscores in others. Rather one too many
// is left out.
var (
	secretWords = []string{"KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "CREDENTIAL", "COOKIE", "PRIVATE", "CONNECTION_STRING", "DATABASE_URL", "WEBHOOK"}
	secretParts = []string{"AUTH", "OAUTH", "DSN", "PAT", "PASS", "PGPASS", "PWD", "SESSION", "JWT", "CREDS", "SIGNATURE"}
)

// shellWords are variables that change what a shell does before it reads its
// first command, or that only make sense in another process.
var shellWords = []string{"BASH_ENV", "ENV", "PS4", "SHELLOPTS", "BASHOPTS", "CDPATH", "GLOBIGNORE", "PROMPT_COMMAND", "IFS", "PWD", "OLDPWD", "SHLVL", "_", "LISTEN_FDS", "LISTEN_PID", "NOTIFY_SOCKET"}

// secretName reports whether a variable of this name is likely to hold a secret.
func secretName(name string) bool {
	upper := strings.ToUpper(name)
	if slices.ContainsFunc(secretWords, func(w string) bool { return strings.Contains(upper, w) }) {
		return true
	}
	parts := strings.FieldsFunc(upper, func(r rune) bool { return r == '_' || r == '-' || r == '.' })
	return slices.ContainsFunc(parts, func(p string) bool { return slices.Contains(secretParts, p) }) && upper != "DESKTOP_SESSION"
}

// environment is what a command finds: the program's own without secrets and
// without what would make a program wait for somebody. Caches go to temp,
// since the usual places cannot be written.
func environment(from []string, s Shell, task string) []string {
	out := make([]string, 0, len(from)+20)
	for _, kv := range from {
		name, value, ok := strings.Cut(kv, "=")
		switch {
		case !ok || name == "" || strings.HasPrefix(name, "BASH_FUNC_") || strings.HasPrefix(name, "MUTSUMI"):
		case slices.Contains(shellWords, strings.ToUpper(name)) || slices.ContainsFunc(s.Hide, func(h string) bool { return strings.EqualFold(h, name) }):
		case slices.Contains(s.Show, name):
			out = append(out, kv)
		case secretName(name), hasPassword(value):
		default:
			out = append(out, kv)
		}
	}
	set := func(name, value string) {
		out = slices.DeleteFunc(out, func(kv string) bool { return strings.HasPrefix(kv, name+"=") })
		out = append(out, name+"="+value)
	}
	for _, kv := range [][2]string{
		{"TERM", "dumb"}, {"NO_COLOR", "1"}, {"PAGER", "cat"}, {"GIT_PAGER", "cat"}, {"MANPAGER", "cat"}, {"SYSTEMD_PAGER", "cat"},
		{"GIT_EDITOR", "true"}, {"EDITOR", "true"}, {"VISUAL", "true"}, {"GIT_TERMINAL_PROMPT", "0"}, {"GCM_INTERACTIVE", "never"},
		{"DEBIAN_FRONTEND", "noninteractive"}, {taskMark, task},
	} {
		set(kv[0], kv[1])
	}
	if s.Temp != "" {
		set("TMPDIR", filepath.Join(s.Temp, "tmp"))
		cache := filepath.Join(s.Temp, "cache")
		set("XDG_CACHE_HOME", cache)
		set("GOCACHE", filepath.Join(cache, "go-build"))
		set("npm_config_cache", filepath.Join(cache, "npm"))
	}
	return out
}

// taskMark is a variable that all processes of a command carry, so that those
// that left its session are found.
const taskMark = "MUTSUMI_TASK"

// hasPassword reports whether a value is an address with a password in it.
func hasPassword(value string) bool {
	_, rest, ok := strings.Cut(value, "://")
	if !ok {
		return false
	}
	who, _, ok := strings.Cut(rest, "@")
	return ok && strings.Contains(who, ":") && !strings.Contains(who, "/")
}
