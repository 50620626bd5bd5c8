package request

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strings"
	"time"

	"mutsumi/backend/assemble"
	"mutsumi/backend/chat"
	"mutsumi/backend/clip"
	"mutsumi/backend/fault"
	"mutsumi/backend/files"
	"mutsumi/backend/mcp/client"
	"mutsumi/backend/media"
	"mutsumi/backend/prompt"
	"mutsumi/backend/slashcommand"
)

// promptsFor is how long previews reuse a server's answer for a prompt.
const promptsFor = 30 * time.Second

// maxPrompts is how many of them are kept.
const maxPrompts = 50

// gavePrompt is a server's answer for a prompt, kept for previews.
type gavePrompt struct {
	sent prompt.SentCommand
	err  error
	at   time.Time
}

// serverPromptOf returns how to find an MCP server's prompt for a request. When an answer is
// continued, it is the one that the prompt was sent with.
func (m *Maker) serverPromptOf(ctx context.Context, s Spec, preview bool) func(name, arguments string, foreign bool) (prompt.SentCommand, error) {
	if m.with.Servers == nil {
		return nil
	}
	r := resources{m, s, preview}
	return func(name, arguments string, foreign bool) (prompt.SentCommand, error) {
		if s.Continues {
			var sent prompt.Sent
			json.Unmarshal(s.sent, &sent) // ignore invalid data
			if c := sent.Command; c != nil && c.Name == name && c.Server != "" {
				return *c, nil
			}
			return prompt.SentCommand{}, fault.New(fault.NotFound, "the prompt was sent without a command %s", name)
		}
		server, of, ok := strings.Cut(name, ":")
		if !ok || of == "" || !m.with.Servers.Has(server) {
			return prompt.SentCommand{}, fault.New(fault.NotFound, "there is no command %s", name)
		}
		if foreign {
			return prompt.SentCommand{}, errors.New("it was not typed here, and a server is asked only for what you type in a prompt")
		}
		return r.promptOf(ctx, server, of, arguments)
	}
}

// promptOf has a server fill in one of its prompts. A preview starts no server, and asks it
// now and then only.
func (r resources) promptOf(ctx context.Context, server, name, arguments string) (prompt.SentCommand, error) {
	if err := r.mayUse(); err != nil {
		return prompt.SentCommand{}, err
	}
	servers, key := r.of.with.Servers, server+":"+name+"\x00"+arguments
	asking := ctx
	if r.preview {
		rests := !servers.Runs(server) && servers.Startable(server)
		// While the server is started again, its last answer counts, but not its last error.
		if got, ok := r.of.prompts.get(key); ok && (got.err == nil || !rests) {
			return got.sent, got.err
		}
		if rests {
			return sentOf(server, name, []chat.Part{{Type: chat.PartText, Text: assemble.ErrNotRead.Error()}}), nil
		}
		var cancel context.CancelFunc
		asking, cancel = context.WithTimeoutCause(ctx, previewWait, assemble.ErrSilent)
		defer cancel()
	}
	sent, err := r.askPrompt(asking, server, name, arguments)
	if ctx.Err() == nil { // a cancelled request says nothing about the server
		r.of.prompts.put(key, gavePrompt{sent, err, time.Now()})
	}
	return sent, err
}

func (r resources) askPrompt(ctx context.Context, server, name, arguments string) (prompt.SentCommand, error) {
	of, err := r.of.with.Servers.PromptOf(ctx, server, name)
	if err != nil {
		return prompt.SentCommand{}, err
	}
	args, err := argumentsOf(of, arguments)
	if err != nil {
		return prompt.SentCommand{}, err
	}
	messages, err := r.of.with.Servers.Prompt(ctx, server, name, args)
	if err != nil {
		return prompt.SentCommand{}, err
	}
	parts, err := partsOf(messages)
	return sentOf(server, name, parts), err
}

func sentOf(server, name string, parts []chat.Part) prompt.SentCommand {
	return prompt.SentCommand{Name: server + ":" + name, Server: server, Parts: parts}
}

// documentOf makes a part of a PDF document that a server gave, as of a file.
func documentOf(p client.Part, n int) (chat.Part, error) {
	name := fmt.Sprintf("document %d", n)
	d, err := media.PrepareDocument(p.Data, name)
	if err != nil {
		return chat.Part{}, err
	}
	return chat.Part{Type: chat.PartFile, File: &chat.File{Name: media.DocumentName(clip.VisibleLine(path.Base(strings.TrimRight(p.URI, "/")), 200), name), Data: d.DataURI(), Pages: d.Pages}}, nil
}

// argumentsOf assigns values to the arguments of a prompt, in order; quotes hold words together,
// and the last one takes the rest. An optional argument with an empty value is omitted.
func argumentsOf(of client.Prompt, typed string) (map[string]string, error) {
	words := slashcommand.Fields(typed)
	args := map[string]string{}
	var missing []string
	for i, a := range of.Arguments {
		switch {
		case i == len(of.Arguments)-1 && len(words) > i:
			args[a.Name] = strings.Join(words[i:], " ")
		case i < len(words):
			if words[i] != "" || a.Required { // "" leaves one out before the next
				args[a.Name] = words[i]
			}
		case a.Required:
			missing = append(missing, a.Name)
		}
	}
	if len(missing) > 0 {
		return nil, fmt.Errorf("it needs %s: write the values behind its name, in this order", strings.Join(missing, ", "))
	}
	if len(of.Arguments) == 0 && len(words) > 0 {
		return nil, errors.New("it takes no arguments")
	}
	return args, nil
}

// partsOf makes parts of the messages of a server's prompt: their texts with nothing hidden, and
// their speakers unless the person is the only one.
func partsOf(messages []client.Message) (parts []chat.Part, err error) {
	mixed, size := false, 0
	for _, m := range messages {
		mixed = mixed || m.Role != "user"
	}
	var text []string
	flush := func() {
		if len(text) > 0 {
			parts = append(parts, chat.Part{Type: chat.PartText, Text: strings.Join(text, "\n\n")})
			text = nil
		}
	}
	for _, m := range messages {
		head := ""
		if mixed {
			head = "[" + clip.VisibleLine(m.Role, 20) + "]\n"
		}
		p := m.Part
		size += len(p.Text)
		if p.Kind == client.Image || p.Kind == client.Blob && isImage(p.Data) {
			if image, _, err := Image("image", p.Data); err == nil {
				flush()
				parts = append(parts, image)
				continue
			}
		}
		if p.Kind == client.Blob && bytes.HasPrefix(p.Data, []byte("%PDF-")) {
			document, err := documentOf(p, len(parts)+1)
			if err == nil {
				flush()
				parts = append(parts, document)
				continue
			}
			text = append(text, fmt.Sprintf("%s[a document is not sent: %s]", head, clip.VisibleLine(err.Error(), 300)))
			continue
		}
		switch p.Kind {
		case client.Text:
			if p.URI != "" {
				head += "[" + clip.VisibleLine(p.URI, 200) + "]\n"
			}
			text = append(text, head+clip.Visible(p.Text))
		case client.Link:
			text = append(text, head+"["+clip.VisibleLine(p.URI, 200)+"]")
		default:
			text = append(text, fmt.Sprintf("%s[%s of %s, which cannot be sent]", head, kindOf(p), files.Size(int64(len(p.Data)))))
		}
	}
	flush()
	if size > files.TextLimit {
		return nil, fault.New(fault.Invalid, "it is %s, more than the %s that fit", files.Size(int64(size)), files.Size(files.TextLimit))
	}
	if len(parts) == 0 {
		return nil, errors.New("the server gave no text for it")
	}
	return parts, nil
}
