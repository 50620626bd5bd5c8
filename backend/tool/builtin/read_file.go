package builtin

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"image"
	_ "image/gif" // sizes of images
	_ "image/jpeg"
	_ "image/png"
	"net/http"
	"strings"

	"mutsumi/backend/chat"
	"mutsumi/backend/files"
	"mutsumi/backend/tool"
)

const (
	wholeLimit = files.TextLimit // larger files are read in ranges only
	rangeLimit = 1 << 20
	imageLimit = 5 << 20 // what most servers take
	// documentLimit bounds a document, which stays in the notebook.
	documentLimit = 8 << 20
	loadLimit     = 64 << 20
)

type readFileIn struct {
	URI       string `json:"uri" jsonschema:"the file: relative to the workspace or absolute"`
	StartLine int    `json:"start_line,omitempty" jsonschema:"first line, from 1"`
	EndLine   int    `json:"end_line,omitempty" jsonschema:"last line, included"`
	Numbers   bool   `json:"line_numbers,omitempty" jsonschema:"put the number before each line"`
}

func (in readFileIn) Action() string { return "reading " + base(in.URI) }

func (in readFileIn) Check() error {
	if in.StartLine < 0 || in.EndLine < 0 || in.EndLine > 0 && in.EndLine < in.StartLine {
		return fmt.Errorf("lines %d to %d are not a range: start_line counts from 1 and end_line is not before it", in.StartLine, in.EndLine)
	}
	return nil
}

func readFile(o Options) tool.Tool {
	return tool.New(tool.Spec{
		Name: "read_file", Description: describe("read_file"), Reads: true,
		Arguments: withPaths(map[string]string{"from": "start_line", "start": "start_line", "offset": "start_line", "to": "end_line", "end": "end_line"}),
	}, func(_ context.Context, env tool.Env, in readFileIn) tool.Result {
		r := o.at(env, in.URI)
		info, err := r.Stat(in.URI)
		if err != nil {
			return failed(r, in.URI, err)
		}
		if info.IsDir() {
			return tool.Error(in.URI + " is a folder. Use ls to see what is in it.")
		}
		if info.Size() > wholeLimit {
			head := headOf(r, in.URI)
			if isPDF(head) && info.Size() > documentLimit {
				return in.tooLarge(info.Size())
			}
			if !isPDF(head) && imageKind(head) == "" {
				return in.large(r, env, info.Size())
			}
		}
		data, err := r.ReadBytes(in.URI, loadLimit)
		if err != nil {
			return failed(r, in.URI, err)
		}
		if kind := imageKind(data); kind != "" {
			return o.showImage(in.URI, kind, data)
		}
		if isPDF(data) {
			return o.showDocument(in, data)
		}
		text, ok := files.Text(data)
		if !ok {
			return tool.Error(fmt.Sprintf("%s is a binary file (%s, %s), not text.", in.URI, http.DetectContentType(data), files.Size(info.Size())))
		}
		if path, err := r.Path(in.URI); err == nil && r == o.Roots {
			o.Seen.note(path, data, true)
		}
		res := in.cut(strings.ReplaceAll(text, "\r\n", "\n"), env.Limit.Or())
		res.Bounded = true
		return res
	})
}

// cut shows the requested lines, as many as the limit allows, and says how to continue. A line is
// never shown in part unless it is too long by itself.
func (in readFileIn) cut(text string, limit tool.Limit) tool.Result {
	total := strings.Count(text, "\n")
	if !strings.HasSuffix(text, "\n") && text != "" {
		total++
	}
	first := max(in.StartLine, 1)
	switch {
	case total == 0:
		return tool.Text("[The file is empty.]")
	case first > total:
		return tool.Error(fmt.Sprintf("%s has %d lines: there is no line %d.", in.URI, total, first))
	}
	rest := text
	for range first - 1 {
		rest = rest[strings.IndexByte(rest, '\n')+1:]
	}
	want := limit
	if in.EndLine > 0 {
		want.Lines = min(want.Lines, in.EndLine-first+1)
	}
	if in.Numbers {
		rest = number(rest, first, want.Lines+1)
	}
	end := tool.Cut(rest, want)
	shown := rest[:end]
	last := first + strings.Count(shown, "\n") - 1
	if !strings.HasSuffix(shown, "\n") {
		last++
	}
	wanted := total
	if in.EndLine > 0 {
		wanted = min(in.EndLine, total)
	}
	shown = strings.TrimSuffix(shown, "\n")
	switch {
	case end > 0 && end < len(rest) && rest[end-1] != '\n':
		return tool.Text(fmt.Sprintf("%s\n\n[Line %d of %d is too long: its first %s are shown.]", shown, first, total, files.Size(int64(end))))
	case last < wanted:
		return tool.Text(fmt.Sprintf("%s\n\n[Lines %d to %d of %d. Read on with start_line %d.]", shown, first, last, total, last+1))
	case first > 1 || last < total:
		return tool.Text(fmt.Sprintf("%s\n\n[Lines %d to %d of %d.]", shown, first, last, total))
	}
	return tool.Text(shown)
}

// large reads a range of a file that is too large to be read whole.
func (in readFileIn) large(r *files.Roots, env tool.Env, size int64) tool.Result {
	limit := env.Limit.Or()
	first := max(in.StartLine, 1)
	last := first + limit.Lines - 1
	if in.EndLine > 0 {
		last = min(last, in.EndLine)
	}
	text, err := r.ReadRange(in.URI, first, last, rangeLimit)
	if err != nil {
		return failed(r, in.URI, err)
	}
	if text == "" {
		return tool.Error(fmt.Sprintf("%s has no line %d.", in.URI, first))
	}
	if in.Numbers {
		text = number(text, first, limit.Lines)
	}
	end := tool.Cut(text, limit)
	shown := strings.TrimSuffix(text[:end], "\n")
	last = first + strings.Count(shown, "\n")
	note := fmt.Sprintf("%s\n\n[Lines %d to %d of a file of %s. Read on with start_line %d, or find the place with grep.]", shown, first, last, files.Size(size), last+1)
	return tool.Result{Content: note, Bounded: true}
}

func number(text string, first, lines int) string {
	var b strings.Builder
	n := first
	for line := range strings.Lines(text) {
		if n-first >= lines {
			break
		}
		fmt.Fprintf(&b, "%5d  %s", n, line)
		n++
	}
	return b.String()
}

// headOf returns the first bytes of a file; none where it cannot be read.
func headOf(r *files.Roots, path string) []byte {
	f, err := r.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	head := make([]byte, 512)
	n, _ := f.Read(head)
	return head[:n]
}

func isPDF(head []byte) bool { return bytes.HasPrefix(head, []byte("%PDF-")) }

// showDocument answers with a PDF document, which is kept in the notebook and sent with every later
// request.
func (o Options) showDocument(in readFileIn, data []byte) tool.Result {
	switch {
	case o.Document == nil:
		return tool.Error(in.URI + " is a PDF document, and you take none. Read its text with a command such as `pdftotext`, if it is installed, or ask the person for the text.")
	case in.StartLine > 0 || in.EndLine > 0:
		return tool.Error(in.URI + " is a PDF document, which has no lines. Read it whole, without start_line and end_line.")
	case len(data) > documentLimit:
		return in.tooLarge(int64(len(data)))
	}
	part, note, err := o.Document(in.URI, data)
	if err != nil {
		return tool.Error(err.Error())
	}
	return tool.Result{Content: fmt.Sprintf("[%s is a PDF document: %s]", in.URI, note), Images: []chat.Part{part}}
}

func (in readFileIn) tooLarge(size int64) tool.Result {
	return tool.Error(fmt.Sprintf("%s is a PDF document of %s; at most %s can be shown. Read its text with a command such as `pdftotext`, take the pages that matter out of it, or ask the person to send it with a prompt.",
		in.URI, files.Size(size), files.Size(documentLimit)))
}

func imageKind(head []byte) string {
	switch kind := http.DetectContentType(head[:min(len(head), 512)]); kind {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
		return kind
	}
	return ""
}

func (o Options) showImage(name, kind string, data []byte) tool.Result {
	if o.Image != nil {
		part, note, err := o.Image(name, data)
		if err != nil {
			return tool.Error(err.Error())
		}
		return tool.Result{Content: fmt.Sprintf("[%s is an image: %s]", name, note), Images: []chat.Part{part}}
	}
	if len(data) > imageLimit {
		return tool.Error(fmt.Sprintf("%s is an image of %s; at most %s can be shown.", name, files.Size(int64(len(data))), files.Size(imageLimit)))
	}
	note := files.Size(int64(len(data)))
	if c, _, err := image.DecodeConfig(bytes.NewReader(data)); err == nil {
		note = fmt.Sprintf("%dx%d, %s", c.Width, c.Height, note)
	}
	url := "data:" + kind + ";base64," + base64.StdEncoding.EncodeToString(data)
	return tool.Result{
		Content: fmt.Sprintf("[%s is an image: %s, %s]", name, strings.TrimPrefix(kind, "image/"), note),
		Images:  []chat.Part{{Type: chat.PartImage, ImageURL: &chat.ImageURL{URL: url, Detail: "auto"}}},
	}
}
