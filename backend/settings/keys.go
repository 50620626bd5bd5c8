package settings

import (
	"errors"
	"os"
	"strings"

	"gopkg.in/yaml.v3"

	"mutsumi/backend/fault"
)

// keyLimit is the longest key in bytes; Windows keeps no longer ones.
const keyLimit = 2500

// SetKey puts the key of a provider of the file into the system's keyring and
// notes in the file that it is there; "" removes both. It may wait for the
// person to unlock the keyring, a minute at most. Without a keyring it is
// Invalid and names the way out.
func (s *Store) SetKey(provider, key string) error {
	key = strings.TrimSpace(key)
	if len(key) > keyLimit || strings.ContainsFunc(key, func(c rune) bool { return c < ' ' || c > '~' }) {
		return fault.New(fault.Invalid, "this is no key: a key is one line of at most %d plain characters", keyLimit)
	}
	s.mu.Lock()
	p, err := s.byProvider(provider)
	damage := s.damage
	s.mu.Unlock()
	switch {
	case err != nil:
		return err
	case p.Source != FromFile:
		return s.notInFile(provider)
	case damage != "":
		return fault.New(fault.Invalid, "%s", s.damageText(damage))
	}
	if key != "" {
		if err := keyringSet(provider, key); err != nil {
			return err
		}
		s.mu.Lock()
		delete(s.absent, provider)
		s.mu.Unlock()
	} else if p.Key.Store == "keyring" {
		if err := keyringDelete(provider); err != nil {
			return err
		}
	}
	return s.edit(func(root *yaml.Node) error {
		_, node := byID(child(root, "providers"), provider)
		if node == nil {
			return s.notInFile(provider)
		}
		put(node, "key", "keyring", key == "")
		if key != "" {
			remove(node, "keyEnv")
		}
		return nil
	})
}

// Key gives the key of a provider: "" and no error for one that needs none. A
// key that should be there and is not is a Provider fault with
// CodeKeyMissing. It may wait for the keyring, half a minute at most.
func (s *Store) Key(provider string) (string, error) {
	s.mu.Lock()
	p, err := s.byProvider(provider)
	builtIn := s.builtIn
	s.mu.Unlock()
	if err != nil {
		return "", err
	}
	switch {
	case p.Source == BuiltIn:
		return builtIn.key, nil
	case p.Key.Store == "env":
		key := strings.TrimSpace(os.Getenv(p.Key.Env))
		if key == "" && p.Source == FromFile {
			return "", missing("%s takes its key from the environment variable %s, which is not set. Set it and start the program again, or enter a key in the settings", p.Name, p.Key.Env)
		}
		return key, nil
	case p.Key.Store != "keyring":
		return "", nil
	}
	key, err := keyringGet(provider)
	if err == nil {
		return key, nil
	}
	if errors.Is(err, errNoKey) {
		s.mu.Lock()
		s.absent[provider] = true
		s.mu.Unlock()
		return "", missing("the key of %s is not in the system's keyring any more. Enter it again in the settings", p.Name)
	}
	return "", missing("the key of %s cannot be read: %w", p.Name, err)
}

func missing(format string, args ...any) error {
	return fault.New(fault.Provider, format, args...).WithCode(fault.CodeKeyMissing)
}
