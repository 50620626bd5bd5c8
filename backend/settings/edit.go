package settings

import (
	"cmp"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"mutsumi/backend/clip"
	"mutsumi/backend/fault"
	"mutsumi/backend/lazyregexp"
	"mutsumi/backend/promptcache"
)

var envName = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_]{0,127}$`)

// maxPrice is the highest price that is taken, in dollars for a million tokens.
const maxPrice = 1e6

// SaveProvider adds a provider (ID is "") or replaces one of the file, and returns its id. The
// environment's provider can be replaced too: the saved one is used until it is deleted. Of a model
// only differences from the table of known models are written, so that later corrections of the table
// apply.
func (s *Store) SaveProvider(in ProviderInput) (string, error) {
	in.Name, in.KeyEnv = strings.TrimSpace(in.Name), strings.TrimSpace(in.KeyEnv)
	base, err := cleanURL(in.BaseURL)
	if err != nil {
		return "", err
	}
	if !in.Wire.known() {
		return "", fault.New(fault.Invalid, "the protocol of %s is chat, responses or anthropic, not %q", in.Name, in.Wire)
	}
	if in.KeyEnv != "" && !envName.MatchString(in.KeyEnv) || looksLikeKey(in.KeyEnv) {
		// The text is not repeated: it may be the key itself.
		return "", fault.New(fault.Invalid, "the field takes the name of an environment variable, such as MY_API_KEY, not the key itself")
	}
	for i := range in.Models {
		if in.Models[i].ID = strings.TrimSpace(in.Models[i].ID); in.Models[i].ID == "" {
			return "", fault.New(fault.Invalid, "model %d of %s has no name", i+1, in.Name)
		}
		for _, price := range []float64{in.Models[i].InputPrice, in.Models[i].CachedPrice, in.Models[i].OutputPrice} {
			if !(price >= 0 && price <= maxPrice) {
				return "", fault.New(fault.Invalid, "a price of %s goes from $0 to $%d for a million tokens", in.Models[i].ID, int(maxPrice))
			}
		}
		if err := in.Models[i].check(); err != nil {
			return "", err
		}
	}
	id := in.ID
	err = s.edit(func(root *yaml.Node) error {
		list := ensure(root, "providers", yaml.SequenceNode)
		_, p := byID(list, id)
		if id == "" {
			if in.Name == "" {
				in.Name = hostOf(base)
			}
			id = s.freeID(in.Name, list)
		} else if p == nil && id != EnvironmentID {
			return fault.New(fault.NotFound, "there is no provider %q in %s to change: it may have been deleted there", id, s.path)
		}
		if p == nil {
			p = &yaml.Node{Kind: yaml.MappingNode}
			put(p, "id", id, false)
			list.Content = append(list.Content, p)
		}
		put(p, "name", in.Name, in.Name == "" || in.Name == id)
		put(p, "baseUrl", base, false)
		if in.Wire != "" {
			put(p, "wire", string(in.Wire), in.Wire == WireChat)
		}
		put(p, "keyEnv", in.KeyEnv, in.KeyEnv == "")
		if in.KeyEnv != "" {
			remove(p, "key")
		}
		s.putModels(p, id, in.Models)
		return nil
	})
	if err != nil {
		return "", err
	}
	s.keepFetched(id, in.Models)
	return id, nil
}

// maxTokens is the largest number of tokens that is accepted for a model.
const maxTokens = 1_000_000_000

// cacheKind reports whether a text is a valid cache setting; "" means the known default.
func cacheKind(text string) bool {
	_, ok := promptcache.Chosen(text)
	return ok || text == ""
}

// check refuses numbers of a model that no server takes.
func (m ModelView) check() error {
	switch {
	case m.ContextTokens < 0 || m.ContextTokens > maxTokens || m.MaxOutput < 0 || m.MaxOutput > maxTokens:
		return fault.New(fault.Invalid, "context and answer of %s go from 0, for unknown, to %d tokens", m.ID, maxTokens)
	case m.Temperature != nil && !(*m.Temperature >= 0 && *m.Temperature <= 2):
		return fault.New(fault.Invalid, "the temperature of %s goes from 0 to 2", m.ID)
	case m.Effort != "" && !slices.Contains([]string{"minimal", "low", "medium", "high"}, m.Effort):
		return fault.New(fault.Invalid, "the effort of %s is minimal, low, medium or high, not %q", m.ID, m.Effort)
	case !cacheKind(m.Cache):
		return fault.New(fault.Invalid, "the cache of %s is prefix, whole, marked or none, not %q", m.ID, m.Cache)
	}
	return nil
}

// putModels updates the list of models to the person's.
func (s *Store) putModels(p *yaml.Node, id string, models []ModelView) {
	s.mu.Lock()
	fetched := slices.Clone(s.fetched[id])
	s.mu.Unlock()
	old := child(p, "models")
	list := &yaml.Node{Kind: yaml.SequenceNode}
	if old != nil {
		*list = *old
		list.Content = nil
	}
	for _, m := range models {
		_, node := byID(old, m.ID)
		if node == nil && m == Known(m.ID) && slices.Contains(fetched, m.ID) {
			continue
		}
		if slices.Contains(list.Content, node) && node != nil {
			continue
		}
		list.Content = append(list.Content, modelNode(node, m))
	}
	switch {
	case len(list.Content) == 0 && old != nil && len(old.Content) == 0:
	case len(list.Content) == 0:
		remove(p, "models")
	case old != nil:
		*old = *list
	default:
		p.Content = append(p.Content, scalar("models"), list)
	}
}

// modelNode writes a model into its node, which may be nil.
func modelNode(n *yaml.Node, m ModelView) *yaml.Node {
	known := Known(m.ID)
	if n == nil || n.Kind == yaml.ScalarNode {
		if m == known {
			if n != nil {
				return n
			}
			return scalar(m.ID)
		}
		fresh := &yaml.Node{Kind: yaml.MappingNode}
		if n != nil {
			fresh.HeadComment, fresh.LineComment, fresh.FootComment = n.HeadComment, n.LineComment, n.FootComment
		}
		n = fresh
		put(n, "id", m.ID, false)
	}
	// An existing key is kept: the person wrote it to be independent of the table.
	field := func(key string, value any, usual bool) {
		put(n, key, value, usual && child(n, key) == nil)
	}
	field("name", m.Name, m.Name == known.Name)
	field("contextTokens", m.ContextTokens, m.ContextTokens == known.ContextTokens)
	field("images", m.Images, m.Images == known.Images)
	field("documents", m.Documents, m.Documents == known.Documents)
	field("tools", m.Tools, m.Tools == known.Tools)
	field("reasoning", m.Reasoning, m.Reasoning == known.Reasoning)
	field("maxOutput", m.MaxOutput, m.MaxOutput == 0)
	field("effort", m.Effort, m.Effort == "")
	field("cache", m.Cache, m.Cache == "")
	if m.Temperature == nil {
		remove(n, "temperature")
	} else {
		put(n, "temperature", *m.Temperature, false)
	}
	// Prices that the person confirmed are written even if they equal the table's.
	said := child(n, "inputPrice") != nil || child(n, "cachedPrice") != nil || child(n, "outputPrice") != nil
	confirmed := known.Guessed && !m.Guessed && !said
	field("inputPrice", m.InputPrice, m.InputPrice == known.InputPrice && !confirmed)
	field("cachedPrice", m.CachedPrice, m.CachedPrice == known.CachedPrice && !confirmed)
	field("outputPrice", m.OutputPrice, m.OutputPrice == known.OutputPrice && !confirmed)
	return n
}

// DeleteProvider takes a provider out of the file and its key out of the keyring.
func (s *Store) DeleteProvider(id string) error {
	inKeyring := false
	err := s.edit(func(root *yaml.Node) error {
		list := child(root, "providers")
		i, p := byID(list, id)
		if p == nil {
			return s.notInFile(id)
		}
		if k := child(p, "key"); k != nil && k.Value == "keyring" {
			inKeyring = true
		}
		list.Content = slices.Delete(list.Content, i, i+1)
		if len(list.Content) == 0 {
			remove(root, "providers")
		}
		if prefs := child(root, "preferences"); prefs != nil {
			if d := child(prefs, "defaultProvider"); d != nil && d.Value == id {
				remove(prefs, "defaultProvider")
				remove(prefs, "defaultModel")
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	s.keepFetched(id, nil)
	s.mu.Lock()
	delete(s.session, id)
	s.mu.Unlock()
	if inKeyring {
		if err := keyringDelete(id); err != nil {
			return fmt.Errorf("the provider %s is deleted, its key is still in the keyring: %w", id, err)
		}
	}
	return nil
}

func (s *Store) notInFile(id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p, err := s.byProvider(id); err == nil && p.Source != FromFile {
		return fault.New(fault.Invalid, "%s is not in %s but was found by itself: it cannot be changed here", p.Name, s.path)
	}
	return fault.New(fault.NotFound, "there is no provider %q in %s", id, s.path)
}

// freeID makes an id of a name that no provider has.
func (s *Store) freeID(name string, list *yaml.Node) string {
	slug := cmp.Or(clip.Slug(name, 40), "provider")
	reserved := []string{BuiltInID, EnvironmentID}
	for _, p := range localServers {
		reserved = append(reserved, p.id)
	}
	for id, n := slug, 2; ; n++ {
		if _, p := byID(list, id); p == nil && !slices.Contains(reserved, id) {
			return id
		}
		id = fmt.Sprintf("%s-%d", slug, n)
	}
}

// cleanURL checks a base URL and takes the slash off its end.
func cleanURL(s string) (string, error) {
	s = strings.TrimSpace(s)
	u, err := url.Parse(s)
	switch {
	case s == "":
		return "", fault.New(fault.Invalid, "the address of the provider is missing: for example https://api.openai.com/v1")
	case err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https"):
		return "", fault.New(fault.Invalid, "this is not a valid address: write it like https://api.openai.com/v1")
	case u.User != nil:
		return "", fault.New(fault.Invalid, "the address of %s must not hold a user or a password: enter the key as the provider's key", u.Host)
	case u.RawQuery != "" || u.Fragment != "":
		return "", fault.New(fault.Invalid, "the address of %s must end with its path: without what stands behind `?` or `#`", u.Host)
	}
	return strings.TrimRight(u.String(), "/"), nil
}

func hostOf(base string) string {
	u, err := url.Parse(base)
	if err != nil {
		return base
	}
	return u.Host
}

// sameServer normalises an address, to compare servers.
func sameServer(base string) string {
	u, err := url.Parse(base)
	if err != nil {
		return base
	}
	host := u.Hostname()
	if isLoopback(host) {
		host = "127.0.0.1"
	}
	return "server " + net.JoinHostPort(host, u.Port())
}

func isLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

func looksLikeKey(s string) bool {
	return strings.HasPrefix(s, "sk_") || strings.HasPrefix(s, "sk-") || len(s) > 60
}
