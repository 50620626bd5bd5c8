package tokens

import "mutsumi/backend/lock"

// Counters keeps a Counter for each model, since making one takes long. It is
// safe for concurrent use; the zero value is ready.
type Counters struct {
	mu      lock.Mutex
	byModel map[string]*Counter
}

// For gives the counter of a model.
func (c *Counters) For(model string) *Counter {
	c.mu.Lock()
	defer c.mu.Unlock()
	counter := c.byModel[model]
	if counter == nil {
		counter = NewCounter(model)
		if c.byModel == nil {
			c.byModel = map[string]*Counter{}
		}
		c.byModel[model] = counter
	}
	return counter
}
