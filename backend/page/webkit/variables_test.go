//go:build desktop && linux

package webkit

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// unset unsets a variable of the tester's own, until the test ends.
func unset(t *testing.T, name string) {
	t.Setenv(name, "")
	os.Unsetenv(name)
}

// The variables are for the window's own processes: what this program starts does not get them. The
// end-to-end tests show that the page's process does.
func TestVariablesStayWithTheWindow(t *testing.T) {
	for name := range variables {
		unset(t, name)
	}
	unset(t, "GTK_THEME")
	Configure(true)
	out, err := exec.Command("env").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range append(os.Environ(), strings.Split(string(out), "\n")...) {
		name, _, _ := strings.Cut(text, "=")
		if _, ours := variables[name]; ours || name == "GTK_THEME" {
			t.Errorf("a command gets %s", text)
		}
	}
}
