package builtin

import "testing"

func TestAFailedCommandTellsItsLastLine(t *testing.T) {
	for text, want := range map[string]string{
		"Traceback:\n  File x\nValueError: no bed\n\n": "ValueError: no bed",
		"":       "",
		"\n \n":  "",
		"one":    "one",
		"a\r\nb": "b",
	} {
		if got := lastLine(text); got != want {
			t.Errorf("lastLine(%q) = %q, want %q", text, got, want)
		}
	}
}
