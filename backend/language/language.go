// Package language holds the catalogues of the interface: the texts of the
// window and of the program's messages in other languages than English, which
// stands in the code (SPEC 16.3).
package language

import (
	"embed"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"strconv"
	"strings"
	"sync"
)

// The languages of the interface, by their BCP 47 tags.
const (
	English = "en"
	Chinese = "zh-CN"
)

// System is the choice of the language that the desktop has.
const System = "system"

// The texts of the window (zh-CN.window.json) and those of the program's
// messages (zh-CN.program.json), each beside a test that knows them all.
//
//go:embed zh-CN.*.json
var files embed.FS

// Catalogue is one language: its texts by the English ones, with fields as {0},
// {1}. The key of a plural is "{0} cell|{0} cells"; its value has a form for
// each of the plural categories that the language has, or one for all.
type Catalogue struct {
	Language string         `json:"language"`
	Texts    map[string]any `json:"texts"`
}

// Script returns a script that gives the page the catalogue of a language.
// English has none.
func Script(tag string) []byte {
	if tag != Chinese {
		return []byte("// English stands in the code.\n")
	}
	return chineseScript()
}

var chineseScript = sync.OnceValue(func() []byte {
	data, err := json.Marshal(chinese())
	if err != nil {
		panic(err) // texts alone
	}
	return fmt.Appendf(nil, "globalThis.mutsumiCatalogue = %s\n", data)
})

var chinese = sync.OnceValue(func() Catalogue {
	c := Catalogue{Language: Chinese, Texts: map[string]any{}}
	for _, part := range []string{"program", "window"} {
		maps.Copy(c.Texts, read(Chinese+"."+part+".json"))
	}
	return c
})

// read reads a catalogue; that it can be read is tested.
func read(name string) (texts map[string]any) {
	data, err := files.ReadFile(name)
	if err == nil {
		err = json.Unmarshal(data, &texts)
	}
	if err != nil {
		panic(fmt.Sprintf("the catalogue %s: %v", name, err))
	}
	return texts
}

// Of returns the catalogue of a language; that of English is empty.
func Of(tag string) Catalogue {
	if tag == Chinese {
		return chinese()
	}
	return Catalogue{Language: English}
}

// Text returns an English text with fields {0}, {1} in the catalogue's
// language, with its fields filled in.
func (c Catalogue) Text(text string, fields ...string) string {
	if s, ok := c.Texts[text].(string); ok {
		text = s
	}
	pairs := make([]string, 0, 2*len(fields))
	for n, field := range fields {
		pairs = append(pairs, "{"+strconv.Itoa(n)+"}", field)
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// Choose returns the language to use: the chosen one, or for System what the
// page asks for (the header Accept-Language, "" if there is none) or the
// environment of the program says.
func Choose(choice, accept string) string {
	if choice == English || choice == Chinese {
		return choice
	}
	if accept != "" {
		for wish := range strings.SplitSeq(accept, ",") {
			if tag := match(strings.TrimSpace(wish)); tag != "" {
				return tag
			}
		}
		return English
	}
	for _, name := range []string{"LC_ALL", "LC_MESSAGES", "LANG"} {
		if value := os.Getenv(name); value != "" {
			if tag := match(strings.ReplaceAll(value, "_", "-")); tag != "" {
				return tag
			}
			return English
		}
	}
	return English
}

// match returns the language of ours that a tag asks for, or "". Chinese in
// traditional writing is no Simplified Chinese.
func match(tag string) string {
	tag, _, _ = strings.Cut(tag, ";")
	tag, _, _ = strings.Cut(tag, ".")
	primary, rest, _ := strings.Cut(strings.ToLower(tag), "-")
	switch {
	case primary == "en":
		return English
	case primary == "zh" && !strings.Contains(rest, "hant") && (strings.Contains(rest, "hans") || rest != "tw" && rest != "hk" && rest != "mo"):
		return Chinese
	}
	return ""
}
