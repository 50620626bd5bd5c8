// Package language holds the catalogues of the interface: the texts of the window and of the
// program's messages in languages other than English, which is in the code (SPEC 16.3).
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

	"mutsumi/backend/fault"
)

// The languages of the interface, by their BCP 47 tags.
const (
	English = "en"
	Chinese = "zh-CN"
)

// System is the choice of the language that the desktop has.
const System = "system"

// The texts of the window (zh-CN.window.json), those of the program's messages
// (zh-CN.program.json), and sentences that it joins from parts or writes into notebooks
// (zh-CN.sentences.json), each with a test that knows them all.
//
//go:embed zh-CN.*.json
var files embed.FS

// Catalogue is one language: its texts by the English ones, with fields as {0},
// {1}. The key of a plural is "{0} cell|{0} cells"; its value has a form for
// each of the plural categories that the language has, or one for all.
type Catalogue struct {
	Language string         `json:"language"`
	Texts    map[string]any `json:"texts"`
	// Program holds the texts of the program: the page recognises them in messages that arrive as one text.
	Program map[string]any `json:"program"`
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
	c := Catalogue{Language: Chinese, Texts: read(Chinese + ".window.json"), Program: read(Chinese + ".program.json")}
	maps.Copy(c.Program, read(Chinese+".sentences.json"))
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
	for _, texts := range []map[string]any{c.Program, c.Texts} {
		if s, ok := texts[text].(string); ok {
			text = s
			break
		}
	}
	pairs := make([]string, 0, 4*len(fields))
	for n, field := range fields {
		pairs = append(pairs, "{"+strconv.Itoa(n)+"}", field, "{"+strconv.Itoa(n)+"!}", field)
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// Doing returns an agent's action, a verb with its object ("reading a.txt"), in the catalogue's
// language.
func (c Catalogue) Doing(action string) string {
	verb, object, some := strings.Cut(action, " ")
	if text := verb + " {0}"; some && c.has(text) {
		return c.Text(text, object)
	}
	return c.Text(action)
}

// Fault returns the message of an error in the catalogue's language.
func (c Catalogue) Fault(e *fault.Error) string {
	if len(e.Said) == 0 || c.Language == English {
		return e.Message
	}
	return c.said(e.Said, 0)
}

func (c Catalogue) said(said fault.Said, n int) string {
	fields := make([]string, len(said[n].Fields))
	for i, f := range said[n].Fields {
		if fields[i] = f.Text; strings.Contains(f.Text, " ") { // one word is a name
			fields[i] = c.Text(f.Text)
		}
		if f.Sentence > n && f.Sentence < len(said) { // inner sentences follow their outer one, so this ends
			fields[i] = c.said(said, f.Sentence)
		}
	}
	return c.Text(said[n].Text, fields...)
}

func (c Catalogue) has(text string) bool {
	_, ok := c.Program[text].(string)
	return ok
}

// Choose returns the language to use: the chosen one or, for System, the one that the page requests
// (the header Accept-Language, "" if there is none) or the program's environment sets.
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
