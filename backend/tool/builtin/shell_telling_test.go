package builtin

import (
	"strings"
	"testing"
)

func TestAFailedCommandShowsTheDecisiveLine(t *testing.T) {
	for text, want := range map[string]string{
		"":              "",
		"\n \n":         "",
		"one":           "one",
		"a\r\nb":        "b",
		"exit status 1": "exit status 1",
		"ok so far\nbash: line 1: frobnicate: command not found": "bash: line 1: frobnicate: command not found",
		// The last line of a traceback, even if a program prints more after it.
		"Traceback (most recent call last):\n  File \"x.py\", line 1, in <module>\n    plant()\nValueError: no bed\n\n":                                                                                                                                                 "ValueError: no bed",
		"Traceback (most recent call last):\n  File \"x.py\", line 1\nKeyError: 'a'\n\nDuring handling of the above exception, another exception occurred:\n\nTraceback (most recent call last):\n  File \"x.py\", line 3\nValueError: no bed\nmake: *** [all] Error 1": "ValueError: no bed",
		"  | Traceback (most recent call last):\n  |   File \"x.py\", line 3\n  | ValueError: no bed":                                                                                                                                                                   "ValueError: no bed",
		// Of a compiler the first error.
		"In file included from a.h:1:\nmain.c:3:5: warning: unused variable\nmain.c:7:12: error: expected ';' after expression\nmain.c:9:1: error: unknown type name 'x'\n2 errors generated.": "main.c:7:12: error: expected ';' after expression",
		"# example/a\n./a.go:3:2: undefined: x\n./a.go:4:2: undefined: y": "./a.go:3:2: undefined: x",
		"   Compiling a v0.1.0\nerror[E0425]: cannot find value `x` in this scope\n --> src/main.rs:2:5\n\nerror: aborting due to 1 previous error\nerror: could not compile `a`": "error[E0425]: cannot find value `x` in this scope",
		"src/a.ts(3,5): error TS2322: Type 'string' is not assignable to type 'number'.\nsrc/b.ts(1,1): error TS1: other":                                                         "src/a.ts(3,5): error TS2322: Type 'string' is not assignable to type 'number'.",
		"src/a.ts:3:5 - error TS2322: Type 'string' is not assignable.\n\n3 x\n":                                                                                                  "src/a.ts:3:5 - error TS2322: Type 'string' is not assignable.",
		"Main.java:3: error: ';' expected\n1 error": "Main.java:3: error: ';' expected",
		// Of tests and uncaught exceptions what failed, and not that something did.
		"=== RUN   TestA\n    a_test.go:9: got 1\n--- FAIL: TestA (0.00s)\nFAIL\nexit status 1\nFAIL\texample/a\t0.002s":               "--- FAIL: TestA (0.00s)",
		"panic: runtime error: index out of range [1]\n\ngoroutine 1 [running]:\nmain.main()\nexit status 2":                           "panic: runtime error: index out of range [1]",
		"/a/x.js:1\nthrow new TypeError('no bed')\n^\n\nTypeError: no bed\n    at Object.<anonymous> (/a/x.js:1:7)\n\nNode.js v22.1.0": "TypeError: no bed",
		"cc -o a a.c\na.o: undefined reference to `main'\nmake: *** [Makefile:2: a] Error 1":                                           "a.o: undefined reference to `main'",
		"tests/test_a.py F\nFAILED tests/test_a.py::test_sum - assert 1 == 2\n1 failed in 0.02s":                                       "FAILED tests/test_a.py::test_sum - assert 1 == 2",
	} {
		if got := tellingLine(text); got != want {
			t.Errorf("tellingLine(%q) = %q, want %q", text, got, want)
		}
	}
}

// hostile is output that is long in every way.
var hostile = []string{
	strings.Repeat("a", 1<<20), strings.Repeat("a:1:", 1<<18), strings.Repeat(tracebackHead+"\n", 1<<15), strings.Repeat(tracebackHead+"\n  x\n", 1<<14), strings.Repeat("\n", 1<<20), strings.Repeat("é", 1<<19),
}

func TestTheTellingLineOfHostileOutputIsShort(t *testing.T) {
	for _, text := range hostile {
		if line := tellingLine(text); len(line) > tellingMost+8 {
			t.Errorf("the line is %d bytes long", len(line))
		}
	}
}

func BenchmarkTellingLine(b *testing.B) {
	for b.Loop() {
		for _, text := range hostile {
			tellingLine(text)
		}
	}
}
