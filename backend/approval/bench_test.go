package approval

import (
	"strings"
	"testing"
)

// Commands that are made to take long, as long as they may be.
func BenchmarkCheck(b *testing.B) {
	p, where := grants(b, "git log*", "go test*", "grep*", "tail*")
	for name, c := range map[string]string{
		"usual":         "cd src && go test ./... 2>&1 | tail -20",
		"arguments":     "git log" + strings.Repeat(" a/b", 16000),
		"commands":      strings.Repeat("git log;", 8000),
		"substitutions": strings.Repeat("$(", 20000) + strings.Repeat(")", 20000),
		"open":          strings.Repeat("$(", 32000),
		"groups":        strings.Repeat("(", 30000) + "git log" + strings.Repeat(")", 30000),
		"braces":        "git log " + strings.Repeat("{a,b}", 12000),
		"quotes":        "git log " + strings.Repeat(`"a'b"`, 12000),
		"nested":        strings.Repeat("sh -c '", 9000),
		"backquotes":    strings.Repeat("`", 60000),
		"heredocs":      "git log " + strings.Repeat("<<E ", 8000) + strings.Repeat("\nE", 8000),
		"wrappers":      strings.Repeat("env ", 15000) + "git log",
		"expansions":    "echo " + strings.Repeat("${a:-", 10000) + strings.Repeat("}", 10000),
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				Simulate(p, "", c, "", where)
			}
		})
	}
}
