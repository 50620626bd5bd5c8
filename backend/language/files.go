package language

import "io/fs"

// Files returns files of the program in the language that choice returns at each opening: those of
// chinese for Chinese, otherwise those of english. A file or folder that chinese lacks is the
// English one.
func Files(english, chinese fs.FS, choice func() string) fs.FS {
	if english == nil || chinese == nil {
		return english
	}
	return translated{english, chinese, choice}
}

// Trees returns the files of tree in each of its languages, for callers that need them all.
func Trees(tree fs.FS) []fs.FS {
	switch t := tree.(type) {
	case nil:
		return nil
	case translated:
		return []fs.FS{t.english, t.chinese}
	}
	return []fs.FS{tree}
}

type translated struct {
	english, chinese fs.FS
	choice           func() string
}

func (f translated) Open(name string) (fs.File, error) {
	if f.choice() == Chinese {
		if file, err := f.chinese.Open(name); err == nil {
			return file, nil
		}
	}
	return f.english.Open(name)
}
