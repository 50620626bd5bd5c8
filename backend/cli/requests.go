package cli

import (
	"flag"
	"fmt"
	"io"
	"strings"

	"mutsumi/backend/clip"
	"mutsumi/backend/ledger"
	"mutsumi/backend/preview"
)

// requestsCommand shows the record of sent requests (SPEC 12.4).
func requestsCommand(p *Program, args []string) error {
	flags := flag.NewFlagSet("requests", flag.ContinueOnError)
	number := flags.Int("number", 0, "")
	compare := flags.String("compare", "", "")
	folder := flags.String("workspace", "", "")
	asJSON := flags.Bool("json", false, "")
	rest, err := words(flags, args, 1, 1)
	if err != nil {
		return err
	}
	open, path, err := openNotebook(p, rest[0], *folder)
	if err != nil {
		return err
	}
	defer open.Close()
	if *compare != "" {
		body, _, err := p.input([]string{*compare})
		if err != nil {
			return err
		}
		v, err := open.ws.Replay(path, *number, []byte(body))
		if err != nil {
			return err
		}
		if *asJSON {
			return p.json(v)
		}
		_, err = fmt.Fprintln(p.Stdout, replayText(v))
		return err
	}
	all, err := open.ws.Requests(path)
	if err != nil {
		return err
	}
	if *number != 0 {
		all = only(all, *number)
	}
	if *asJSON {
		return p.json(append([]ledger.Request{}, all...))
	}
	var b strings.Builder
	for _, r := range all {
		b.WriteString(requestText(r))
	}
	_, err = io.WriteString(p.Stdout, b.String())
	return err
}

func only(all []ledger.Request, number int) []ledger.Request {
	for _, r := range all {
		if r.Number == number {
			return []ledger.Request{r}
		}
	}
	return nil
}

func replayText(v preview.Replay) string {
	switch {
	case v.Same:
		return fmt.Sprintf("the same as request %d: %d bytes", v.Number, v.Bytes)
	case v.From < 0:
		return fmt.Sprintf("differs from request %d; where is not recorded", v.Number)
	}
	return fmt.Sprintf("differs from request %d between bytes %d and %d: it had %d bytes, this has %d", v.Number, v.From, v.From+v.Within-1, v.Sent, v.Bytes)
}

// requestText is a request on one line, with its result.
func requestText(r ledger.Request) string {
	text := fmt.Sprintf("%d  %s  %s  %s  %d bytes  sha256 %s  %d tools  %s", r.Number, r.Time.Local().Format("2006-01-02 15:04:05"), r.Model, r.Server, r.Bytes, r.SHA256, len(r.Tools), r.Parameters)
	a := r.Answer
	switch {
	case a == nil:
		text += "\n   no answer"
	case a.Error != "":
		text += "\n   " + a.Error
	default:
		text += "\n   " + a.Finish
	}
	if a != nil && a.Usage != nil {
		text += fmt.Sprintf(", %d tokens in (%d cached), %d out", a.Usage.Input, a.Usage.Cached, a.Usage.Output)
	}
	if a != nil {
		for _, c := range a.Calls {
			text += fmt.Sprintf("\n   calls %s  sha256 %s", clip.Line(c.Name, 80), c.SHA256)
		}
	}
	return text + "\n"
}
