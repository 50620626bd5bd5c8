package cli_test

import (
	"regexp"
	"strconv"
	"testing"
)

// What packages do before main is waited for at every start, also of `mutsumi version`.
func TestPackagesAreReadySoon(t *testing.T) {
	_, trace, status := call(t, "", []string{"GODEBUG=inittrace=1"}, "version")
	inits := regexp.MustCompile(`(?m)^init (\S+) @.*, (\d+) bytes, `).FindAllStringSubmatch(trace, -1)
	if status != 0 || len(inits) < 20 {
		t.Fatalf("status %d, %d packages in %s", status, len(inits), trace)
	}
	for _, m := range inits {
		if bytes, err := strconv.Atoi(m[2]); err != nil || bytes > 1<<20 {
			t.Errorf("%s allocates %s bytes before main", m[1], m[2])
		}
	}
}
