package assemble

// resourceLimit is how many bytes of resources a Cache keeps.
const resourceLimit = 32 << 20

// ForgetResources drops resources read from servers, which may have changed.
func (c *Cache) ForgetResources() {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(c.resources)
	c.resourceBytes = 0
	c.forgotten++
}

// resource returns a resource that was read, and how often everything has been forgotten so far.
func (c *Cache) resource(key string) (got readResource, forgotten int, ok bool) {
	if c == nil {
		return readResource{}, 0, false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	got, ok = c.resources[key]
	return got, c.forgotten, ok
}

// putResource stores a resource, unless everything was forgotten while it was being read.
func (c *Cache) putResource(key string, got readResource, forgotten int) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if forgotten != c.forgotten {
		return
	}
	c.resourceBytes += got.content.size() - c.resources[key].content.size() + len(key)
	if c.resourceBytes > resourceLimit {
		clear(c.resources)
		c.resourceBytes = got.content.size() + len(key)
	}
	c.resources[key] = got
}
