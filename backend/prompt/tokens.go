package prompt

import (
	"hash/maphash"
	"strings"
	"sync"

	"github.com/tiktoken-go/tokenizer"
)

// Counter counts the tokens of texts for one model and remembers what it
// counted. It is safe for concurrent use.
type Counter struct {
	codec tokenizer.Codec // nil: the model's tokenizer is not known
	seed  maphash.Seed
	mu    sync.Mutex
	known map[counted]int
}

// counted names a text without keeping it.
type counted struct {
	hash uint64
	size int
}

const (
	// countedLimit bounds how many texts a Counter remembers.
	countedLimit = 200_000
	// countBudget is how many bytes of new text one build counts; the rest is
	// estimated until a later build comes to it.
	countBudget = 1 << 20
)

// NewCounter makes a counter for a model by its name at the provider
// ("gpt-4o-mini", "openai/gpt-4o"). For a model whose tokenizer is not known
// it estimates. Making one for a known model takes tens of milliseconds and
// megabytes: keep it.
func NewCounter(model string) *Counter {
	c := &Counter{seed: maphash.MakeSeed(), known: map[counted]int{}}
	name := model[strings.LastIndexByte(model, '/')+1:]
	if codec, err := tokenizer.ForModel(tokenizer.Model(strings.ToLower(name))); err == nil {
		c.codec = codec
	}
	return c
}

// Exact reports whether the model's own tokenizer is used.
func (c *Counter) Exact() bool { return c != nil && c.codec != nil }

// Count gives the tokens of a text, an estimate if Exact is false.
func (c *Counter) Count(s string) int {
	budget := len(s)
	n, _ := c.count(s, &budget)
	return n
}

// count gives the tokens of a text; exact is false for an estimate. budget is
// what is left of countBudget.
func (c *Counter) count(s string, budget *int) (n int, exact bool) {
	if !c.Exact() || s == "" {
		return Estimate(s), s == ""
	}
	key := counted{maphash.String(c.seed, s), len(s)}
	c.mu.Lock()
	defer c.mu.Unlock()
	if n, ok := c.known[key]; ok {
		return n, true
	}
	if *budget < len(s) {
		return Estimate(s), false
	}
	*budget -= len(s)
	n, err := c.codec.Count(s)
	if err != nil {
		return Estimate(s), false
	}
	if len(c.known) >= countedLimit {
		clear(c.known)
	}
	c.known[key] = n
	return n, true
}

// Estimate guesses the tokens of a text: four ASCII characters to a token, two
// of other alphabets, seven tokens to ten ideographs, two to an emoji.
func Estimate(s string) int {
	var ascii, two, three, four int
	for i := 0; i < len(s); i++ {
		if len(s)-i >= 8 && (s[i]|s[i+1]|s[i+2]|s[i+3]|s[i+4]|s[i+5]|s[i+6]|s[i+7]) < 0x80 {
			ascii += 8
			i += 7
			continue
		}
		switch c := s[i]; {
		case c < 0x80:
			ascii++
		case c >= 0xF0:
			four++
		case c >= 0xE0:
			three++
		case c >= 0xC0:
			two++
		}
	}
	return (ascii*5 + two*10 + three*14 + four*40 + 19) / 20
}

// imageTokens is what an image of width by height pixels counts by the
// published rule of the model's maker; OpenAI's where none is known.
func imageTokens(model string, width, height int) int {
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

func squares(w, h float64, side int) int {
	return ((int(w+0.5) + side - 1) / side) * ((int(h+0.5) + side - 1) / side)
}
