package testoutput

import (
	"slices"
	"strings"
	"testing"
)

// The outputs are those of the programs, shortened.
func TestParse(t *testing.T) {
	for name, c := range map[string]struct {
		output                  string
		passed, failed, skipped int
		unit                    string
		broken                  []string
	}{
		"go": {"ok  \tmutsumi/backend/clip\t0.012s\nok  \tmutsumi/backend/chat\t(cached)\n?   \tmutsumi/x\t[no test files]\n", 2, 0, 0, "package", nil},
		"go, one fails": {
			"--- FAIL: TestGrace (0.00s)\n    cache_test.go:9: got 1\n    --- FAIL: TestGrace/sub (0.00s)\nFAIL\nFAIL\tpricing\t0.004s\nok  \trefunds\t0.1s\nFAIL\n", 1, 1, 0, "package",
			[]string{"TestGrace", "TestGrace/sub"},
		},
		"go, does not build": {"# pricing\n./cache.go:3:1: syntax error\nFAIL\tpricing [build failed]\nFAIL\n", 0, 1, 0, "package", nil},
		"go -v":              {"=== RUN   TestA\n--- PASS: TestA (0.00s)\n=== RUN   TestB\n--- SKIP: TestB (0.00s)\n--- FAIL: TestC (0.00s)\nFAIL\nFAIL\tx\t0.01s\n", 1, 1, 1, "test", []string{"TestC"}},
		"pytest": {
			"FAILED tests/test_ttl.py::test_grace - assert 1 == 2\n\x1b[31m==== \x1b[1m2 failed\x1b[0m, 107 passed, 3 skipped, 1 warning in 4.21s ====\x1b[0m\n", 107, 2, 3, "test",
			[]string{"tests/test_ttl.py::test_grace"},
		},
		"pytest -q": {"112 passed in 0.42s\n", 112, 0, 0, "test", nil},
		"cargo":     {"test ttl::grace ... FAILED\ntest result: FAILED. 3 passed; 1 failed; 2 ignored; 0 measured; 0 filtered out\n\ntest result: ok. 4 passed; 0 failed; 0 ignored;\n", 7, 1, 2, "test", []string{"ttl::grace"}},
		"jest":      {"  ● cache › keeps\n\nTests:       1 failed, 2 skipped, 5 passed, 8 total\nTime: 1 s\n", 5, 1, 2, "test", []string{"cache › keeps"}},
		"vitest":    {" Test Files  1 failed | 3 passed (4)\n      Tests  2 failed | 1558 passed (1560)\n", 1558, 2, 0, "test", nil},
		"node":      {"✖ keeps it (2.1ms)\nℹ tests 10\nℹ suites 1\nℹ pass 8\nℹ fail 1\nℹ cancelled 0\nℹ skipped 1\nℹ todo 0\n", 8, 1, 1, "test", []string{"keeps it"}},
		"tap":       {"not ok 2 - keeps it\n# tests 2\n# pass 1\n# fail 1\n", 1, 1, 0, "test", []string{"keeps it"}},
		"mocha":     {"\n  12 passing (40ms)\n  1 pending\n  2 failing\n", 12, 2, 1, "test", nil},
		"maven":     {"[INFO] Tests run: 3, Failures: 0, Errors: 0, Skipped: 0\n[ERROR] Tests run: 10, Failures: 1, Errors: 1, Skipped: 2\n", 6, 2, 2, "test", nil},
		"gradle":    {"7 tests completed, 2 failed, 1 skipped\n", 4, 2, 1, "test", nil},
		"rspec":     {"12 examples, 1 failure, 2 pending\n", 9, 1, 2, "test", nil},
		"phpunit":   {"Tests: 5, Assertions: 9, Failures: 1.\n", 4, 1, 0, "test", nil},
		"a script":  {"all done\n112 passed, 2 failed\n", 112, 2, 0, "test", nil},
	} {
		r, ok := Parse(c.output)
		if !ok || r.Passed != c.passed || r.Failed != c.failed || r.Skipped != c.skipped || r.Unit != c.unit || !slices.Equal(r.Broken, append([]string{}, c.broken...)) {
			t.Errorf("%s: %+v, %v", name, r, ok)
		}
	}
}

func TestOtherOutputHasNoResult(t *testing.T) {
	for _, output := range []string{
		"", "ok", "ok then\n", "3 files passed over in silence\n", "I think that 12 passed, but 3 failed me\n", "FAIL", "Tests are good\n", "# pass it on 3\n",
		"the 4 tests completed nothing", strings.Repeat("x", 1<<20),
	} {
		if r, ok := Parse(output); ok {
			t.Errorf("%.40q: %+v", output, r)
		}
	}
}
