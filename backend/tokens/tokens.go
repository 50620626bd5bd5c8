// Package tokens counts the tokens of texts, images and documents for a model. The meter, the
// preview, the usage of a run and the tree's streaming count all use it, so that they agree: with
// the model's own tokenizer if it is public, otherwise with one estimate.
//
// It knows no messages and no prices (package cost).
package tokens

import (
	"encoding/binary"
	"hash/maphash"
	"math/bits"
	"strings"

	"mutsumi/backend/lock"

	"github.com/tiktoken-go/tokenizer"
)

// Counter counts the tokens of texts for one model and remembers the results. It is safe for
// concurrent use.
type Counter struct {
	model string
	codec tokenizer.Codec // nil: the model's tokenizer is not known
	seed  maphash.Seed
	mu    lock.Mutex
	known map[fingerprint]int
}

// fingerprint names a text without keeping it.
type fingerprint struct {
	hash uint64
	size int
}

const (
	// countedLimit is how many texts a Counter remembers.
	countedLimit = 200_000
	// budget is how many bytes of new text a Count counts; the rest is estimated until a later one
	// reaches it.
	budget = 1 << 20
)

// NewCounter makes a counter for a model by its name at the provider ("gpt-4o-mini",
// "openai/gpt-4o"). For a model with an unknown tokenizer it estimates. Making one for a known
// model takes tens of milliseconds and megabytes: keep it.
func NewCounter(model string) *Counter {
	c := &Counter{model: model, seed: maphash.MakeSeed(), known: map[fingerprint]int{}}
	name := model[strings.LastIndexByte(model, '/')+1:]
	if codec, err := tokenizer.ForModel(tokenizer.Model(strings.ToLower(name))); err == nil {
		c.codec = codec
	}
	return c
}

// Model is the name of the model that is counted for.
func (c *Counter) Model() string {
	if c == nil {
		return ""
	}
	return c.model
}

// Exact reports whether the model's own tokenizer is used.
func (c *Counter) Exact() bool { return c != nil && c.codec != nil }

// Count returns the tokens of a text, an estimate if Exact is false.
func (c *Counter) Count(s string) int {
	n, _, _ := c.counted(s, len(s))
	return n
}

// Count counts one request within a limited time. It is for one goroutine.
type Count struct {
	by   *Counter
	left int // bytes of text that may still be counted exactly
}

// Begin begins the counting of a request.
func (c *Counter) Begin() *Count { return &Count{c, budget} }

// Text returns the tokens of a text; exact is false for an estimate.
func (c *Count) Text(s string) (n int, exact bool) {
	n, exact, used := c.by.counted(s, c.left)
	c.left -= used
	return n, exact
}

// counted returns the tokens of a text, of which at most left bytes are counted if it is new, and
// how many bytes were.
func (c *Counter) counted(s string, left int) (n int, exact bool, used int) {
	if !c.Exact() || s == "" {
		return Estimate(s), s == "", 0
	}
	key := fingerprint{maphash.String(c.seed, s), len(s)}
	c.mu.Lock()
	n, known := c.known[key]
	c.mu.Unlock()
	if known {
		return n, true, 0
	}
	if left < len(s) {
		return Estimate(s), false, 0
	}
	n, err := c.codec.Count(s)
	if err != nil {
		return Estimate(s), false, len(s)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.known) >= countedLimit {
		clear(c.known)
	}
	c.known[key] = n
	return n, true, len(s)
}

// Estimate guesses the tokens of a text: four ASCII characters to a token, two
// of other alphabets, seven tokens to ten ideographs, two to an emoji.
func Estimate(s string) int {
	var e weights
	e.add(s)
	return e.tokens()
}

// weights are the bytes of a text by the alphabets that they belong to.
type weights struct{ ascii, two, three, four int }

// add adds the bytes of a text, eight at a time. The leading set bits of a character's first byte
// are its number of bytes.
func (w *weights) add(s string) {
	const highs = 0x8080808080808080
	var room [8]byte
	for len(s) > 0 {
		var x uint64
		n := 8
		if len(s) >= n {
			x = uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
				uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
		} else {
			n = copy(room[:], s)
			x = binary.LittleEndian.Uint64(room[:])
		}
		s = s[n:]
		other := x & highs
		if other == 0 {
			w.ascii += n
			continue
		}
		first := other & (x << 1)
		three := first & (x << 2)
		four := three & (x << 3)
		w.ascii += n - bits.OnesCount64(other)
		w.two += bits.OnesCount64(first &^ three)
		w.three += bits.OnesCount64(three &^ four)
		w.four += bits.OnesCount64(four)
	}
}

func (w *weights) tokens() int { return (w.ascii*5 + w.two*10 + w.three*14 + w.four*40 + 19) / 20 }

// Image is the token count of an image of width by height pixels by the published rule of the
// model's maker; OpenAI's if none is known.
func Image(model string, width, height int) int {
	if width <= 0 || height <= 0 {
		width, height = 1024, 1024
	}
	w, h := float64(width), float64(height)
	name := strings.ToLower(model)
	switch {
	case strings.Contains(name, "claude"): // an image is made to fit 1568 pixels; a token for 750 of them
		if long := max(w, h); long > 1568 {
			w, h = w*1568/long, h*1568/long
		}
		return int(w*h/750 + 0.5)
	case strings.Contains(name, "gemini"): // 258 for each tile of 768
		if w <= 384 && h <= 384 {
			return 258
		}
		return 258 * squares(w, h, 768)
	}
	// Made to fit 2048 by 2048 with a shorter side of at most 768; 85 and 170
	// for each square of 512.
	if long := max(w, h); long > 2048 {
		w, h = w*2048/long, h*2048/long
	}
	if short := min(w, h); short > 768 {
		w, h = w*768/short, h*768/short
	}
	return 85 + 170*squares(w, h, 512)
}

// Document is the token count of a PDF document, by the rule that the model's maker publishes:
// servers give a model the text of each page and a picture of it.
//
//   - Anthropic: 1,500 to 3,000 tokens of text a page, and the page as an image of at
//     most 1.15 megapixels (docs.anthropic.com, "PDF support": estimate your costs).
//     The lower end is taken: most pages are not full.
//   - Google: 258 tokens a page, text included (ai.google.dev, "Document
//     understanding").
//   - OpenAI: the text and an image of each page, with no number for the text
//     (platform.openai.com, "File inputs"). A full page of prose is some 600 words,
//     which are 800 tokens.
//
// pages 0 means unknown: a page is assumed to have pageBytes.
func Document(model string, pages, bytes int) int {
	if pages <= 0 {
		pages = max(1, bytes/pageBytes)
	}
	name := strings.ToLower(model)
	switch {
	case strings.Contains(name, "claude"):
		return pages * (1500 + Image(model, 943, 1220)) // a page of A4 or Letter in 1.15 megapixels
	case strings.Contains(name, "gemini"):
		return pages * 258
	}
	return pages * (800 + Image(model, 1700, 2200))
}

// pageBytes is the approximate size of a document's page in bytes.
const pageBytes = 50_000

func squares(w, h float64, side int) int {
	return ((int(w+0.5) + side - 1) / side) * ((int(h+0.5) + side - 1) / side)
}
