package version

import (
	"encoding/json"
	"os"
	"regexp"
	"runtime/debug"
	"testing"
)

func info(main string, settings ...string) *debug.BuildInfo {
	b := &debug.BuildInfo{Main: debug.Module{Version: main}}
	for i := 0; i < len(settings); i += 2 {
		b.Settings = append(b.Settings, debug.BuildSetting{Key: settings[i], Value: settings[i+1]})
	}
	return b
}

func TestBuild(t *testing.T) {
	commit := []string{"vcs.revision", "07abd7f62ab10000000000000000000000000000", "vcs.time", "2026-11-23T13:04:55Z"}
	for _, c := range []struct {
		name               string
		info               *debug.BuildInfo
		release            bool
		text, packageNamed string
	}{
		{"outside of a repository", info("(devel)"), false, Number, Number + "-dev"},
		{"a commit", info("v0.0.0-20261123130455-07abd7f62ab1", commit...), false,
			Number + " (commit 07abd7f62ab1 of 2026-11-23)", Number + "-20261123.130455.07abd7f"},
		{"the tagged commit", info("v"+Number, commit...), true, Number + " (commit 07abd7f62ab1 of 2026-11-23)", Number},
		{"the tagged commit, with changes", info("v"+Number, append(commit, "vcs.modified", "true")...), false,
			Number + " (commit 07abd7f62ab1 of 2026-11-23, with changes)", Number + "-20261123.130455.07abd7f.changed"},
	} {
		if b := ofInfo(c.info); b.Release != c.release || b.String() != c.text || b.Package != c.packageNamed {
			t.Errorf("%s: release %v, %q, package %q", c.name, b.Release, b.String(), b.Package)
		}
	}
}

func TestStamp(t *testing.T) {
	const hash, time = "07abd7f62ab10000000000000000000000000000", "2026-11-23T13:04:55Z"
	for stamp, want := range map[string]string{
		"v" + Number + "," + hash + "," + time + ",":        Number,
		"v" + Number + "," + hash + "," + time + ",changed": Number + "-20261123.130455.07abd7f.changed",
		"," + hash + "," + time + ",":                       Number + "-20261123.130455.07abd7f",
		"v0.0.1":                                            Number + "-dev",
	} {
		if b := ofStamp(stamp); b.Package != want || b.Version != Number || b.Release != (want == Number) {
			t.Errorf("%q: %+v, want the package %q", stamp, b, want)
		}
	}
}

// The numbers in files that are not made by a script are the program's.
func TestNumberElsewhere(t *testing.T) {
	for file, pattern := range map[string]string{
		"../../build/darwin/Info.plist":    `<string>(\d+\.\d+\.\d+)</string>`,
		"../../build/windows/winres.json":  `[vV]ersion": "(\d+\.\d+\.\d+)(?:\.0)?"`,
		"../../frontend/package.json":      `^  "version": "(.*)"`,
		"../../frontend/package-lock.json": `\A\{\s+"name": "mutsumi-frontend",\s+"version": "(.*)"`,
	} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		found := regexp.MustCompile("(?m)"+pattern).FindAllSubmatch(text, -1)
		if len(found) == 0 {
			t.Errorf("%s: no version found", file)
		}
		for _, match := range found {
			if string(match[1]) != Number {
				t.Errorf("%s: %s, want %s", file, match[0], Number)
			}
		}
	}
}

func TestJSON(t *testing.T) {
	text, err := json.Marshal(Current())
	if err != nil || !regexp.MustCompile(`^\{"version":"[0-9.]+","release":`).Match(text) {
		t.Errorf("%s, %v", text, err)
	}
}
