package builtin

import (
	"strings"

	"mutsumi/backend/clip"
	"mutsumi/backend/lazyregexp"
)

// Lines that name the first error, as compilers, test runners and uncaught exceptions write them.
// Later errors are mostly its consequences, so the first counts.
var firstFault = lazyregexp.New(strings.Join([]string{
	`^(?:[A-Za-z]:)?[^\s:()]+[:(]\d+(?:[:,]\d+)?\)?:? +(?:- )?(?:fatal )?error\b`, // gcc, clang, javac, tsc, swiftc
	`^error(?:\[\w+\])?: `,                        // rustc, cargo
	`^(?:vet: )?\S+\.go:\d+:\d+: `,                // go build, go vet
	`^panic: |^fatal error: `,                     // go
	`^\s*--- FAIL: `,                              // go test
	`^thread '.*' panicked at `,                   // rust
	`^(?:Uncaught )?[A-Z]\w*Error(?: \[\w+\])?: `, // node
	`^Exception in thread `,                       // java
	`^FAILED \S+::`,                               // pytest
}, "|"))

// Lines at the end that only report an error above.
var afterthought = lazyregexp.New(strings.Join([]string{
	`^make(?:\[\d+\])?: \*\*\*`, `^g?make(?:\[\d+\])?: Leaving directory`, `^exit status \d+$`, `^FAIL(?:\s|$)`, `^Node\.js v\d`,
	`^npm (?:ERR!|error)`, `^error Command failed`, `^info Visit `, `^error: could not compile`, `^error: aborting due to`,
	`^For more information about this error`, `^note: run with`, `^ninja: build stopped`, `^\d+ errors? generated\.$`, `^compilation terminated\.$`,
}, "|"))

const tracebackHead = "Traceback (most recent call last):"

// tellingLine returns the most informative line of a failed command's output: the last of a
// traceback, the first error of a compiler, otherwise the last line that is not an afterthought; ""
// if there is none.
func tellingLine(text string) string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(clip.Bytes(lines[i], maxLooked), " \t\r")
	}
	if line := exceptionOf(lines); line != "" {
		return clip.Text(line, tellingMost)
	}
	last, lastAny := "", ""
	for _, line := range lines {
		at := strings.TrimSpace(line)
		switch {
		case at == "":
		case firstFault.MatchString(line) && !afterthought.MatchString(line):
			return clip.Text(at, tellingMost)
		case afterthought.MatchString(at):
			lastAny = at
		default:
			last = at
		}
	}
	if last == "" {
		last = lastAny
	}
	return clip.Text(last, tellingMost)
}

const (
	tellingMost = 300  // how long such a line is at most, in bytes
	maxLooked   = 1000 // how many bytes of a line are examined
)

// exceptionOf finds the end of the last Python traceback: the first line after it that is not
// indented.
func exceptionOf(lines []string) string {
	for i := len(lines) - 1; i >= 0; i-- {
		indent, isHead := strings.CutSuffix(lines[i], tracebackHead)
		if !isHead || strings.Trim(indent, " \t|+-") != "" { // groups of exceptions are drawn with these
			continue
		}
		for _, line := range lines[i+1:] {
			if strings.HasSuffix(line, tracebackHead) {
				break
			}
			rest, inside := strings.CutPrefix(line, indent)
			if inside && rest != "" && rest[0] != ' ' && rest[0] != '\t' {
				return rest
			}
		}
	}
	return ""
}
