// Package testoutput extracts from a command's output how many tests passed and failed. It knows
// the output of go test, pytest, cargo test, Jest, Vitest, Mocha, node --test, Maven, Gradle, RSpec
// and PHPUnit, and ignores other output.
package testoutput

import (
	"slices"
	"strconv"
	"strings"

	"mutsumi/backend/lazyregexp"
)

// maxNames is how many failed tests are listed.
const maxNames = 20

// Result is the result of a test run.
type Result struct {
	Passed  int      `json:"passed"`
	Failed  int      `json:"failed"`
	Skipped int      `json:"skipped"`
	Unit    string   `json:"unit"`   // "test", or "package" where only these are counted
	Broken  []string `json:"broken"` // names of tests that failed, at most 20
}

// Total is the number of tests that ran.
func (r Result) Total() int { return r.Passed + r.Failed }

var escapes = lazyregexp.New(`\x1b\[[0-9;:?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)`)

// format is the summary format of one kind of program. The groups of its expressions are numbers;
// sum adds up the matches of several packages, otherwise the last one counts.
type format struct {
	line                    *lazyregexp.Regexp // the summary
	passed, failed, skipped []*lazyregexp.Regexp
	all                     *lazyregexp.Regexp // the number that ran, if the number that passed is not printed
	sum                     bool
}

func exps(list ...string) (out []*lazyregexp.Regexp) {
	for _, e := range list {
		out = append(out, lazyregexp.New(e))
	}
	return out
}

var formats = []format{
	{ // cargo test
		line: lazyregexp.New(`(?m)^test result: (?:ok|FAILED)\..*$`), sum: true,
		passed: exps(`(\d+) passed`), failed: exps(`(\d+) failed`), skipped: exps(`(\d+) ignored`),
	},
	{ // Maven
		line: lazyregexp.New(`(?m)^.*Tests run: \d+, Failures: \d+, Errors: \d+.*$`),
		all:  lazyregexp.New(`Tests run: (\d+)`), failed: exps(`Failures: (\d+)`, `Errors: (\d+)`), skipped: exps(`Skipped: (\d+)`),
	},
	{ // PHPUnit
		line: lazyregexp.New(`(?m)^Tests: \d+, Assertions: \d+.*$`),
		all:  lazyregexp.New(`Tests: (\d+)`), failed: exps(`Failures: (\d+)`, `Errors: (\d+)`), skipped: exps(`Skipped: (\d+)`),
	},
	{ // Jest and Vitest
		line:   lazyregexp.New(`(?m)^\s*Tests:?\s.*\d+ (?:passed|failed|skipped|todo).*$`),
		passed: exps(`(\d+) passed`), failed: exps(`(\d+) failed`), skipped: exps(`(\d+) skipped`),
	},
	{ // pytest
		line:   lazyregexp.New(`(?m)^(?:=+ )?.*\d+ (?:passed|failed|errors?)\b.* in [\d.]+s.*$`),
		passed: exps(`(\d+) passed`), failed: exps(`(\d+) failed`, `(\d+) errors?`), skipped: exps(`(\d+) skipped`),
	},
	{ // Gradle
		line: lazyregexp.New(`(?m)^\d+ tests completed.*$`),
		all:  lazyregexp.New(`(\d+) tests completed`), failed: exps(`(\d+) failed`), skipped: exps(`(\d+) skipped`),
	},
	{ // RSpec
		line: lazyregexp.New(`(?m)^\d+ examples?, \d+ failures?.*$`),
		all:  lazyregexp.New(`(\d+) examples?`), failed: exps(`(\d+) failures?`), skipped: exps(`(\d+) pending`),
	},
	{ // node --test, TAP
		line:   lazyregexp.New(`(?m)^(?:#|ℹ) (?:pass|fail|skipped) \d+$(?:\n(?:#|ℹ) .*$)*`),
		passed: exps(`(?m)^\S+ pass (\d+)$`), failed: exps(`(?m)^\S+ fail (\d+)$`), skipped: exps(`(?m)^\S+ skipped (\d+)$`),
	},
	{ // Mocha
		line:   lazyregexp.New(`(?m)^\s*\d+ passing\b.*$(?:\n\s*\d+ (?:pending|failing)\b.*$)*`),
		passed: exps(`(\d+) passing`), failed: exps(`(\d+) failing`), skipped: exps(`(\d+) pending`),
	},
	{ // "112 passed, 2 failed", with nothing else on the line
		line:   lazyregexp.New(`(?m)^\s*\d+ (?:tests? )?passed(?:, \d+ \w+)*\.?\s*$`),
		passed: exps(`(\d+) (?:tests? )?passed`), failed: exps(`(\d+) failed`), skipped: exps(`(\d+) skipped`),
	},
}

// Of a failed test, the name: go test, cargo, pytest, Jest and Vitest, node --test.
var broken = exps(
	`(?m)^\s*--- FAIL: (\S+)`, `(?m)^test (\S+) \.\.\. FAILED`, `(?m)^(?:FAILED|ERROR) (\S+)`, `(?m)^\s*(?:●|×|✕|✖) (.+?)(?: \(?[\d.]+ ?m?s\)?)?$`,
	`(?m)^not ok \d+ - (.+)$`,
)

var (
	goPassed  = lazyregexp.New(`(?m)^\s*--- PASS: `)
	goFailed  = lazyregexp.New(`(?m)^\s*--- FAIL: `)
	goSkipped = lazyregexp.New(`(?m)^\s*--- SKIP: `)
	goOk      = lazyregexp.New(`(?m)^ok[ \t]+\S+[ \t]+(?:[\d.]+s|\(cached\))`)
	goBad     = lazyregexp.New(`(?m)^FAIL[ \t]+\S+[ \t]+(?:[\d.]+s|\[\w+ failed\])`)
)

// Parse reads the output of a command. It returns false if there is no test summary.
func Parse(output string) (Result, bool) {
	output = strings.ReplaceAll(escapes.ReplaceAllString(output, ""), "\r\n", "\n")
	r, ok := ofGo(output)
	for i := 0; !ok && i < len(formats); i++ {
		r, ok = formats[i].read(output)
	}
	if !ok {
		return Result{}, false
	}
	r.Broken = []string{}
	if r.Failed == 0 {
		return r, true
	}
	for _, e := range broken {
		for _, m := range e.FindAllStringSubmatch(output, -1) {
			if name := strings.TrimSpace(m[1]); len(r.Broken) < maxNames && !slices.Contains(r.Broken, name) {
				r.Broken = append(r.Broken, name)
			}
		}
	}
	return r, true
}

func (f format) read(output string) (Result, bool) {
	lines := f.line.FindAllString(output, -1)
	if len(lines) == 0 {
		return Result{}, false
	}
	if !f.sum {
		lines = lines[len(lines)-1:]
	}
	r := Result{Unit: "test"}
	for _, line := range lines {
		failed, skipped := first(f.failed, line), first(f.skipped, line)
		r.Failed, r.Skipped = r.Failed+failed, r.Skipped+skipped
		if f.all != nil {
			r.Passed += max(0, first([]*lazyregexp.Regexp{f.all}, line)-failed-skipped)
		} else {
			r.Passed += first(f.passed, line)
		}
	}
	return r, r.Total()+r.Skipped > 0
}

// first adds up what each expression finds first.
func first(list []*lazyregexp.Regexp, line string) (n int) {
	for _, e := range list {
		if m := e.FindStringSubmatch(line); m != nil {
			x, _ := strconv.Atoi(m[1]) // too large a number becomes 0
			n += x
		}
	}
	return n
}

// ofGo reads the output of go test. Without -v it names failed tests alone, so that
// packages are counted.
func ofGo(output string) (Result, bool) {
	count := func(e *lazyregexp.Regexp) int { return len(e.FindAllStringIndex(output, -1)) }
	ok, bad := count(goOk), count(goBad)
	if ok+bad == 0 {
		return Result{}, false
	}
	if passed := count(goPassed); passed > 0 {
		return Result{Passed: passed, Failed: max(count(goFailed), min(bad, 1)), Skipped: count(goSkipped), Unit: "test"}, true
	}
	return Result{Passed: ok, Failed: bad, Unit: "package"}, true
}
