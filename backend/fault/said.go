package fault

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// Sentence is a text for a person with separate fields, so that the interface can show it in
// another language: the English text with {0}, {1} in place of the fields.
type Sentence struct {
	Text   string  `json:"text"`
	Fields []Field `json:"fields,omitempty"`
}

// Field is a field of a sentence: a text, or another sentence.
type Field struct {
	Text     string `json:"text,omitempty"`
	Sentence int    `json:"sentence,omitempty"` // its place in the list, which begins with the whole; 0: none
}

// Said is a sentence and the sentences in it, each after the one that contains it. A recursive type
// could not be sent to the interface.
type Said []Sentence

// Say splits a format of package fmt and its arguments. Errors among them become sentences. A
// format that names an argument by its number, or takes a width from one, becomes a text without
// fields.
func Say(format string, args ...any) Said {
	var s Said
	s.add(format, args)
	return s
}

// String returns the text in English.
func (s Said) String() string {
	if len(s) == 0 {
		return ""
	}
	return s.english(0)
}

func (s Said) english(n int) string {
	pairs := make([]string, 0, 2*len(s[n].Fields))
	for i, field := range s[n].Fields {
		text := field.Text
		if field.Sentence > 0 {
			text = s.english(field.Sentence)
		}
		pairs = append(pairs, "{"+strconv.Itoa(i)+"}", text)
	}
	return strings.NewReplacer(pairs...).Replace(s[n].Text)
}

// add appends a sentence made of a format, and those in it.
func (s *Said) add(format string, args []any) {
	at := len(*s)
	*s = append(*s, Sentence{})
	var text strings.Builder
	var fields []Field
	rest := format
	for {
		before, after, found := strings.Cut(rest, "%")
		text.WriteString(before)
		if !found {
			break
		}
		end := strings.IndexFunc(after, func(r rune) bool { return strings.ContainsRune("vTtbcdoOqxXUeEfFgGsp%w[*", r) })
		if end < 0 || after[end] == '[' || after[end] == '*' || after[end] != '%' && len(fields) >= len(args) {
			*s = append((*s)[:at], Sentence{Text: fmt.Errorf(format, args...).Error()})
			return
		}
		verb := "%" + after[:end+1]
		rest = after[end+1:]
		if verb == "%%" {
			text.WriteString("%")
			continue
		}
		arg := args[len(fields)]
		text.WriteString("{" + strconv.Itoa(len(fields)) + "}")
		if err, ok := arg.(error); ok && err != nil && (verb == "%w" || verb == "%v" || verb == "%s") {
			fields = append(fields, Field{Sentence: len(*s)})
			s.addError(err)
		} else {
			fields = append(fields, Field{Text: fmt.Errorf(verb, arg).Error()})
		}
	}
	(*s)[at] = Sentence{Text: text.String(), Fields: fields}
}

// addError appends the text of an error: one of ours, one of a file, or one that wraps another
// after a text of its own.
func (s *Said) addError(err error) {
	message := err.Error()
	switch e := err.(type) {
	case *Error:
		if len(e.Said) == 0 {
			*s = append(*s, Sentence{Text: message})
			return
		}
		at := len(*s)
		for _, sentence := range e.Said {
			fields := make([]Field, len(sentence.Fields))
			for i, field := range sentence.Fields {
				if field.Sentence > 0 {
					field.Sentence += at
				}
				fields[i] = field
			}
			*s = append(*s, Sentence{Text: sentence.Text, Fields: fields})
		}
		return
	case *fs.PathError:
		s.add(e.Op+" %s: %w", []any{e.Path, e.Err})
		return
	case *os.LinkError:
		s.add(e.Op+" %s %s: %w", []any{e.Old, e.New, e.Err})
		return
	case *os.SyscallError:
		s.add(e.Syscall+": %w", []any{e.Err})
		return
	case syscall.Errno:
		*s = append(*s, Sentence{Text: message})
		return
	}
	if inner := errors.Unwrap(err); inner != nil {
		if before, found := strings.CutSuffix(message, inner.Error()); found {
			s.add(strings.ReplaceAll(before, "%", "%%")+"%w", []any{inner})
			return
		}
	}
	*s = append(*s, Sentence{Text: message})
}

// of takes an error apart.
func of(err error) Said {
	var s Said
	s.addError(err)
	return s
}

// withFields returns s if it has fields, otherwise nil: the message is enough.
func (s Said) withFields() Said {
	if len(s) == 0 || len(s[0].Fields) == 0 {
		return nil
	}
	return s
}
