// Package version identifies this build of the program: its number, and the commit that it was made
// from. It is the only source; "About", the log, `mutsumi version` and the names of packages ask
// it.
package version

import (
	"runtime"
	"runtime/debug"
	"strings"
)

// Number is the version that the sources lead to. A build of the commit with
// the tag v<Number> is that version; every other build comes before it.
const Number = "0.1.0"

// Build describes the running program.
type Build struct {
	Version  string `json:"version"`
	Release  bool   `json:"release"`  // made from the tagged commit, without changes
	Commit   string `json:"commit"`   // the whole hash; "": made outside of a repository
	Time     string `json:"time"`     // of the commit, RFC 3339 in UTC; "": not known
	Modified bool   `json:"modified"` // made from files that differ from the commit
	Package  string `json:"package"`  // the version in the names of packages
	Go       string `json:"go"`
	System   string `json:"system"`
}

// stamp is set by the linker through scripts/steps.sh: the tag, the commit, its time, and "changed"
// if files differ from it, separated by commas. Go records none of this from a git work tree, or if
// its settings forbid it.
var stamp string

// Current describes this program: from the stamp, otherwise from the information of `go build`.
func Current() Build {
	if stamp != "" {
		return ofStamp(stamp)
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	return ofInfo(info)
}

func ofStamp(stamp string) Build {
	parts := append(strings.Split(stamp, ","), "", "", "")
	return build(parts[0], Build{Commit: parts[1], Time: parts[2], Modified: parts[3] != ""})
}

func ofInfo(info *debug.BuildInfo) Build {
	var b Build
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.time":
			b.Time = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	return build(info.Main.Version, b)
}

// build adds fields derived from the tag of a commit.
func build(tag string, b Build) Build {
	b.Version, b.Go, b.System = Number, runtime.Version(), runtime.GOOS+"/"+runtime.GOARCH
	b.Release = tag == "v"+Number && !b.Modified
	b.Package = b.packageVersion()
	return b
}

// String is the version for people, such as "0.1.0 (commit 07abd7f62ab1 of 2026-11-23)".
func (b Build) String() string {
	if b.Commit == "" {
		return b.Version
	}
	text := b.Version + " (commit " + b.short(12)
	if day, _, ok := strings.Cut(b.Time, "T"); ok {
		text += " of " + day
	}
	if b.Modified {
		text += ", with changes"
	}
	return text + ")"
}

// packageVersion is "0.1.0" for a release. Every other build gets a version
// that sorts before it, by the time of the commit, such as
// "0.1.0-20261123.130455.07abd7f".
func (b Build) packageVersion() string {
	if b.Release {
		return b.Version
	}
	parts := []string{}
	if day, clock, ok := strings.Cut(strings.TrimSuffix(b.Time, "Z"), "T"); ok {
		parts = append(parts, strings.ReplaceAll(day, "-", ""), strings.ReplaceAll(clock, ":", ""))
	}
	if b.Commit == "" {
		parts = append(parts, "dev")
	} else {
		parts = append(parts, b.short(7))
	}
	if b.Modified {
		parts = append(parts, "changed")
	}
	return b.Version + "-" + strings.Join(parts, ".")
}

func (b Build) short(digits int) string { return b.Commit[:min(digits, len(b.Commit))] }
