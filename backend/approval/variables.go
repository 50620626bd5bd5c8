package approval

import "strings"

// plainVariables are environment variables that change how programs report, not what they run.
var plainVariables = map[string]bool{
	"LANG": true, "TZ": true, "TERM": true, "NO_COLOR": true, "FORCE_COLOR": true, "CLICOLOR": true, "CI": true,
	"COLUMNS": true, "LINES": true, "VERBOSE": true, "CGO_ENABLED": true, "GOOS": true, "GOARCH": true, "GOMAXPROCS": true,
	"RUST_BACKTRACE": true, "RUST_LOG": true, "NODE_ENV": true, "PYTHONUNBUFFERED": true, "PYTHONDONTWRITEBYTECODE": true,
	"PYTHONHASHSEED": true, "GIT_TERMINAL_PROMPT": true, "GIT_OPTIONAL_LOCKS": true,
}

// badVariable says why a variable may not be set without asking. Names in capitals belong to the
// system and to programs, and their effects cannot all be known: PATH, LD_PRELOAD, GIT_PAGER,
// PROMPT_COMMAND.
func badVariable(name string) string {
	if plainVariables[name] || strings.HasPrefix(name, "LC_") || len(name) == 1 {
		return ""
	}
	if name != strings.ToLower(name) || strings.HasSuffix(name, "_proxy") || strings.HasPrefix(name, "npm_") {
		return "it sets " + name + ", which can change what programs do"
	}
	return ""
}
