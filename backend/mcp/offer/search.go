package offer

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"mutsumi/backend/chat"
	"mutsumi/backend/clip"
	"mutsumi/backend/jsontext"
	"mutsumi/backend/mcp"
	"mutsumi/backend/mcp/toolname"
	"mutsumi/backend/tool"
)

// Search and Call are our tools for the server tools that no request holds.
const (
	Search = toolname.Search
	Call   = toolname.Call
)

//go:embed search_tools.md
var aboutSearch string

// Bounds of a search result.
const (
	mostFound = 10       // tools with their definitions
	mostBytes = 20 << 10 // of their definitions; the first one is shown whatever its size
	mostNamed = 40       // further names
)

type searchIn struct {
	Query string `json:"query" jsonschema:"words; empty lists what there is"`
}

func (in searchIn) Action() string {
	if q := clip.VisibleLine(in.Query, 60); q != "" {
		return "searching tools: " + q
	}
	return "listing tools"
}

// searchSpec is the definition of search_tools; its description names servers.
func searchSpec(servers []string) tool.Spec {
	about := strings.TrimSpace(aboutSearch)
	if len(servers) > 0 {
		names := make([]string, len(servers))
		for i, name := range servers {
			names[i] = short(name)
		}
		about += " Servers: " + clip.Text(strings.Join(names, ", "), 2000) + "."
	}
	return tool.Spec{Name: Search, Description: about, Reads: true, Arguments: map[string]string{"q": "query", "words": "query"}}
}

func (of *Offer) searchTool(servers []string) tool.Tool {
	return tool.New(searchSpec(servers), func(_ context.Context, _ tool.Env, in searchIn) tool.Result {
		return tool.Result{Content: of.search(in.Query), Bounded: true}
	})
}

// search returns what a search for words finds, as text for a model.
func (of *Offer) search(query string) string {
	all := of.deferred()
	best := rank(all, query)
	var out strings.Builder
	switch {
	case len(all) == 0:
		out.WriteString("There is no tool beside those you have." + of.states())
		return out.String()
	case len(best) == 0:
		fmt.Fprintf(&out, "None of %d tools has such words. Try others.%s", len(all), of.states())
		return out.String()
	case len(wordsOf(query)) == 0:
		fmt.Fprintf(&out, "There are %d tools. Search with words for the arguments of those you need.%s\n", len(all), of.states())
		nameOthers(&out, best)
		return out.String()
	}
	fmt.Fprintf(&out, "%d of %d tools fit. Call one with %s, with its name and revision.", len(best), len(all), Call)
	size := 0
	for i, r := range best {
		text := r.described()
		if size += len(text); i == mostFound || i > 0 && size > mostBytes {
			out.WriteString("\n\nFurther ones, of which a narrower search tells more:")
			nameOthers(&out, best[i:])
			break
		}
		out.WriteString("\n" + text)
	}
	return out.String()
}

func nameOthers(out *strings.Builder, all []*remote) {
	for i, r := range all {
		if i == mostNamed {
			fmt.Fprintf(out, "\nand %d more", len(all)-i)
			return
		}
		out.WriteString("\n" + r.name)
		if about := clip.VisibleLine(r.of.Description, 80); about != "" {
			out.WriteString(": " + about)
		}
	}
}

// described is a definition in a search result: a line of JSON.
func (d *definition) described() string {
	line, err := jsontext.Marshal(struct {
		Name        string          `json:"name"`
		Revision    string          `json:"revision"`
		Description string          `json:"description"`
		Arguments   json.RawMessage `json:"arguments"`
	}{d.name, d.revision, d.about, d.schema})
	if err != nil {
		return d.name // schemaOf made valid JSON
	}
	return string(line)
}

// states lists the servers whose tools are not known, and why.
func (of *Offer) states() string {
	all, _ := of.of.servers.List() // the settings show what cannot be read
	var text strings.Builder
	for _, v := range all {
		if v.Tools > 0 || v.Waits() || !of.want.Kind(v.Name, "") || of.want.Off(v.Name, "") {
			continue
		}
		words := stateWords[string(v.State)]
		if v.State == mcp.Ready && !v.Listed() {
			words = "ready but has not listed its tools yet: search again soon"
		}
		fmt.Fprintf(&text, " The server %s is %s.", short(v.Name), words)
	}
	return text.String()
}

var stateWords = map[string]string{
	"configured": "not started yet", "starting": "still starting: search again soon", "ready": "ready and has none",
	"failed": "not working now", "signIn": "waiting for the person to sign in", "stopped": "stopped by the person",
}

// rank returns the tools that have words of a query, the best first; without words it returns all.
func rank(all []*remote, query string) []*remote {
	words := wordsOf(query)
	if len(words) == 0 {
		return all
	}
	texts := make([]weighted, len(all))
	in := make([]int, len(words)) // how many tools have each word
	for i, r := range all {
		texts[i] = weightedOf(r)
		for w, word := range words {
			if texts[i].has(word) > 0 {
				in[w]++
			}
		}
	}
	type hit struct {
		*remote
		score float64
	}
	var hits []hit
	for i, r := range all {
		score := 0.0
		for w, word := range words {
			if n := texts[i].has(word); n > 0 { // a rare word counts more
				score += n * (1 + 4/float64(in[w]))
			}
		}
		if score > 0 {
			hits = append(hits, hit{r, score})
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Compare(b.score, a.score) })
	best := make([]*remote, len(hits))
	for i, h := range hits {
		best[i] = h.remote
	}
	return best
}

// weighted are the words of a tool, each with its weight.
type weighted map[string]float64

func weightedOf(r *remote) weighted {
	w := weighted{}
	add := func(text string, n float64) {
		for _, word := range wordsOf(text) {
			w[word] = max(w[word], n)
		}
	}
	add(r.of.Name, 4)
	add(r.server, 3)
	add(r.of.Title, 3)
	add(clip.Text(r.of.Description, maxDescription), 1)
	var schema struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	if json.Unmarshal(r.schema, &schema) == nil {
		for name := range schema.Properties {
			add(name, 1)
		}
	}
	return w
}

// has returns the weight of a word; a mere prefix counts half.
func (w weighted) has(word string) (n float64) {
	if n = w[word]; n > 0 || len(word) < 3 {
		return n
	}
	for other, counts := range w {
		if strings.HasPrefix(other, word) || len(other) > 3 && strings.HasPrefix(word, other) {
			n = max(n, counts/2)
		}
	}
	return n
}

// wordsOf splits a text into lower-case words, each once, at signs and where a capital follows a
// small letter. In scripts without spaces, each pair of adjacent characters is a word.
func wordsOf(text string) (words []string) {
	add := func(word string) {
		if word = strings.ToLower(word); word != "" && !slices.Contains(words, word) {
			words = append(words, word)
		}
	}
	var word []rune
	end := func() {
		add(string(word))
		word = word[:0]
	}
	var before rune
	for _, r := range text {
		switch {
		case unspaced(r):
			end()
			if unspaced(before) {
				add(string([]rune{before, r}))
			} else {
				add(string(r))
			}
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			end()
		default:
			if unicode.IsUpper(r) && unicode.IsLower(before) {
				end()
			}
			word = append(word, r)
		}
		before = r
	}
	end()
	return words
}

func unspaced(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
}

// Again repeats what calls of search_tools and call_tool found in the messages that a summary
// replaces: the definitions as they are now, in at most tokens. "": nothing.
func (of *Offer) Again(calls []chat.ToolCall, tokens int, count func(string) int) string {
	all := of.deferred()
	var again []*remote
	add := func(r *remote) {
		if !slices.Contains(again, r) {
			again = append(again, r)
		}
	}
	for _, c := range slices.Backward(calls) { // a tool that was called matters more than one that was only found
		if name := NameIn(c); name != "" {
			if i := slices.IndexFunc(all, func(r *remote) bool { return r.name == name }); i >= 0 {
				add(all[i])
			}
		}
	}
	for _, c := range slices.Backward(calls) {
		if query := queryIn(c); query != "" {
			for i, r := range rank(all, query) {
				if i == mostFound {
					break
				}
				add(r)
			}
		}
	}
	var lines []string
	for _, r := range again {
		line := r.described()
		if tokens -= count(line); tokens < 0 {
			break
		}
		lines = append(lines, line)
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// searches parses calls of search_tools as the tool itself does; it runs none.
var searches = tool.NewRegistry(tool.New(searchSpec(nil), func(context.Context, tool.Env, searchIn) tool.Result { return tool.Result{} }))

// queryIn returns the words that a call of search_tools searches for; "": there are none, or it is
// another call.
func queryIn(c chat.ToolCall) string {
	if tool.Bare(c.Function.Name) != Search {
		return ""
	}
	var in searchIn
	call, err := searches.Prepare(Search, c.Function.Arguments)
	if err != nil || json.Unmarshal(call.Args, &in) != nil || len(wordsOf(in.Query)) == 0 {
		return ""
	}
	return in.Query
}
