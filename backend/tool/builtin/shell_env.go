package builtin

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// shellWords are variables that change what a shell does before it reads its
// first command, or that only make sense in another process.
var shellWords = []string{"BASH_ENV", "ENV", "PS4", "SHELLOPTS", "BASHOPTS", "CDPATH", "GLOBIGNORE", "PROMPT_COMMAND", "IFS", "PWD", "OLDPWD", "SHLVL", "_", "LISTEN_FDS", "LISTEN_PID", "NOTIFY_SOCKET"}

// gitSettings keep git from running what a repository's settings name: an agent may have written
// them, or only made a folder look like a repository.
var gitSettings = [][2]string{{"safe.bareRepository", "explicit"}, {"core.fsmonitor", "false"}}

// environment is the environment of a command: the program's own without secrets, without the
// sockets of the person's session, and without variables that would make a program wait for
// somebody. Caches go to temp, since the usual places cannot be written.
func environment(from []string, s Shell, task string) []string {
	out := make([]string, 0, len(from)+20)
	for _, kv := range from {
		name, value, ok := strings.Cut(kv, "=")
		switch {
		case !ok || name == "" || strings.HasPrefix(name, "BASH_FUNC_") || strings.HasPrefix(name, "MUTSUMI"):
		case name == "GIT_CONFIG_COUNT", name == "GIT_CONFIG_PARAMETERS", strings.HasPrefix(name, "GIT_CONFIG_KEY_"), strings.HasPrefix(name, "GIT_CONFIG_VALUE_"):
		case slices.Contains(shellWords, strings.ToUpper(name)) || slices.ContainsFunc(s.Hide, func(h string) bool { return strings.EqualFold(h, name) }):
		case slices.Contains(s.Show, name):
			out = append(out, kv)
		case secretName(name), ofDesktop(name), name != "PATH" && secretValue(value):
		default:
			out = append(out, kv)
		}
	}
	set := func(name, value string) {
		out = slices.DeleteFunc(out, func(kv string) bool { return strings.HasPrefix(kv, name+"=") })
		out = append(out, name+"="+value)
	}
	for _, kv := range [][2]string{
		{"TERM", "xterm-256color"}, {"PAGER", "cat"}, {"GIT_PAGER", "cat"}, {"MANPAGER", "cat"}, {"SYSTEMD_PAGER", "cat"},
		{"GIT_EDITOR", "true"}, {"EDITOR", "true"}, {"VISUAL", "true"}, {"GIT_TERMINAL_PROMPT", "0"}, {"GCM_INTERACTIVE", "never"},
		{"DEBIAN_FRONTEND", "noninteractive"}, {taskMark, task},
		// Colours are for the person; redrawn progress bars help nobody.
		{"CARGO_TERM_PROGRESS_WHEN", "never"}, {"npm_config_progress", "false"}, {"PIP_PROGRESS_BAR", "off"}, {"BUILDKIT_PROGRESS", "plain"}, {"COMPOSE_PROGRESS", "plain"},
	} {
		set(kv[0], kv[1])
	}
	set("GIT_CONFIG_COUNT", strconv.Itoa(len(gitSettings)))
	for i, kv := range gitSettings {
		set("GIT_CONFIG_KEY_"+strconv.Itoa(i), kv[0])
		set("GIT_CONFIG_VALUE_"+strconv.Itoa(i), kv[1])
	}
	if temp := s.temp(); temp != "" {
		set("TMPDIR", filepath.Join(temp, "tmp"))
		cache := filepath.Join(temp, "cache")
		set("XDG_CACHE_HOME", cache)
		set("GOCACHE", filepath.Join(cache, "go-build"))
		set("npm_config_cache", filepath.Join(cache, "npm"))
	}
	return out
}

// taskMark is a variable that all processes of a command carry, so that those
// that left its session are found.
const taskMark = "MUTSUMI_TASK"
