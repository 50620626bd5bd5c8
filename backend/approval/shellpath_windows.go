package approval

import (
	"path/filepath"
	"strings"
)

// noFolder is a folder that holds nothing of the person's and is below no other.
const noFolder = `\\nowhere\nowhere`

// shellPath returns the path that a word of a command names, as Git's bash and the programs that it
// starts understand it: /c/x is C:\x, and other paths that start with a slash, or with a drive and
// no slash, are somewhere else. The stream of a file, as in a.txt:stream, is the file.
func shellPath(word string) string {
	at := filepath.FromSlash(word)
	volume := filepath.VolumeName(at)
	drive := func(i int) bool {
		return len(at) > i && ('a' <= at[i]|0x20 && at[i]|0x20 <= 'z') && (len(at) == i+1 || at[i+1] == '\\')
	}
	switch {
	case strings.HasPrefix(at, `\\`):
		return at // another machine, or a device
	case len(volume) == 2 && !strings.HasPrefix(at[2:], `\`):
		return noFolder
	case volume == "" && strings.HasPrefix(word, "/") && drive(1):
		volume, at = strings.ToUpper(at[1:2])+":", at[2:]
		if at == "" {
			at = `\`
		}
	case volume == "" && at != "" && at[0] == '\\':
		return noFolder + at
	default:
		at = at[len(volume):]
	}
	if strings.Contains(at, ":") {
		parts := strings.Split(at, `\`)
		for i, part := range parts {
			parts[i], _, _ = strings.Cut(part, ":")
		}
		at = strings.Join(parts, `\`)
	}
	return volume + at
}
