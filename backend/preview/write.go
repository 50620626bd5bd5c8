package preview

import (
	"bufio"
	"io"

	"mutsumi/backend/jsontext"
	"mutsumi/backend/prompt"
)

// WriteJSON writes the request as an object of JSON, each member on a line of its
// own, each message, part and warning too. The values are compact: a request is
// of megabytes, and its body is written as it would be sent, byte for byte.
func (n NextRequest) WriteJSON(to io.Writer) error {
	w := &jsonWriter{out: bufio.NewWriterSize(to, 64<<10)}
	w.out.WriteString("{\n")
	writeList(w, "messages", n.Messages, func(m []byte) ([]byte, error) { return m, nil })
	w.value("allowedUris", n.AllowedURIs)
	w.value("isSubAgent", n.IsSubAgent)
	w.metadata(n.Metadata)
	writeList(w, "parts", n.Parts, marshal)
	writeList(w, "warnings", n.Warnings, marshal)
	w.name("request")
	w.out.Write(n.Request)
	w.out.WriteString("\n}\n")
	if w.err != nil {
		return w.err
	}
	return w.out.Flush()
}

// jsonWriter writes the members of an object. It keeps the first encoding error; out keeps those of
// writing.
type jsonWriter struct {
	out   *bufio.Writer
	begun bool // there is a member already
	err   error
}

func (w *jsonWriter) name(name string) {
	if w.begun {
		w.out.WriteString(",\n")
	}
	w.begun = true
	w.out.WriteString(`  "` + name + `": `)
}

func (w *jsonWriter) value(name string, v any) {
	w.name(name)
	w.text(marshal(v))
}

func (w *jsonWriter) text(text []byte, err error) {
	if err != nil && w.err == nil {
		w.err = err
	}
	w.out.Write(text)
}

// metadata writes what is saved if the cell runs. Values from the notebook are unchanged.
func (w *jsonWriter) metadata(m prompt.Saved) {
	w.name("metadata")
	w.out.WriteString(`{"macroContext":`)
	w.text(marshal(m.MacroContext))
	for i, item := range m.ContextItems {
		if i == 0 {
			w.out.WriteString(`,"contextItems":[`)
		} else {
			w.out.WriteString(",")
		}
		w.text(item.MarshalJSON())
	}
	if len(m.ContextItems) > 0 {
		w.out.WriteString("]")
	}
	w.out.WriteString("}")
}

// writeList writes a list.
func writeList[T any](w *jsonWriter, name string, list []T, encode func(T) ([]byte, error)) {
	w.name(name)
	if len(list) == 0 {
		w.out.WriteString("[]")
		return
	}
	for i, v := range list {
		if i == 0 {
			w.out.WriteString("[\n    ")
		} else {
			w.out.WriteString(",\n    ")
		}
		w.text(encode(v))
	}
	w.out.WriteString("\n  ]")
}

func marshal[T any](v T) ([]byte, error) { return jsontext.Marshal(v) }
