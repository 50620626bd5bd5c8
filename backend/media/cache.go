package media

import (
	"container/list"

	"mutsumi/backend/lock"
)

// Cache keeps prepared images and thumbnails in memory, so that building a
// prompt again does not decode its images again. The least used go first. The
// zero value is not usable: see NewCache. It may be used by many goroutines.
type Cache struct {
	mu    lock.Mutex
	limit int
	size  int
	order *list.List
	items map[cacheKey]*list.Element
}

// cacheKey identifies a result: the present file, or the hash of a data URI, and the request.
type cacheKey struct {
	source   string
	modified int64
	bytes    int64
	side     int
	limit    int
	thumb    bool
}

type cacheItem struct {
	key   cacheKey
	value Prepared
}

// NewCache makes a cache of at most limit bytes of images and documents.
func NewCache(limit int) *Cache {
	return &Cache{limit: limit, order: list.New(), items: map[cacheKey]*list.Element{}}
}

// get and put take a nil Cache, which keeps nothing.
func (c *Cache) get(k cacheKey) (Prepared, bool) {
	if c == nil {
		return Prepared{}, false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.items[k]
	if !ok {
		return Prepared{}, false
	}
	c.order.MoveToFront(e)
	return e.Value.(cacheItem).value, true
}

func (c *Cache) put(k cacheKey, v Prepared) {
	if c == nil || v.size() > c.limit {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.items[k]; ok {
		return
	}
	c.items[k] = c.order.PushFront(cacheItem{k, v})
	c.size += v.size()
	for c.size > c.limit {
		last := c.order.Back()
		item := c.order.Remove(last).(cacheItem)
		delete(c.items, item.key)
		c.size -= item.value.size()
	}
}
