package settings

import (
	"errors"
	"os"
	"strings"

	"go.yaml.in/yaml/v3"

	"mutsumi/backend/fault"
)

// keyLimit is the longest key in bytes; Windows keeps no longer ones.
const keyLimit = 2500

// SetKey stores the key of a provider of the file in the system's keyring and records that in the
// file; "" removes both. It may wait for the person to unlock the keyring, a minute at most.
// Without a keyring the error is Invalid and names the way out.
func (s *Store) SetKey(provider, key string) error {
	key, err := cleanKey(key)
	if err != nil {
		return err
	}
	p, err := s.keyed(provider)
	if err != nil {
		return err
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
	return s.placeKey(provider, "keyring", "", key == "")
}

// SetSessionKey keeps the key of a provider of the file in memory, until the
// program ends: for a system without a keyring. The file notes only that it was
// so, and never the key.
func (s *Store) SetSessionKey(provider, key string) error {
	key, err := cleanKey(key)
	if err != nil {
		return err
	}
	if key == "" {
		return fault.New(fault.Invalid, "the key is empty: enter it")
	}
	if _, err := s.keyed(provider); err != nil {
		return err
	}
	return s.placeKey(provider, "session", key, false)
}

func cleanKey(key string) (string, error) {
	key = strings.TrimSpace(key)
	if len(key) > keyLimit || strings.ContainsFunc(key, func(c rune) bool { return c < ' ' || c > '~' }) {
		return "", fault.New(fault.Invalid, "this is not a key: a key is one line of at most %d plain characters", keyLimit)
	}
	return key, nil
}

// keyed returns a provider that can have a key of the person's.
func (s *Store) keyed(provider string) (ProviderView, error) {
	s.mu.Lock()
	p, err := s.byProvider(provider)
	damage := s.damage
	s.mu.Unlock()
	switch {
	case err != nil:
		return p, err
	case p.Source != FromFile:
		return p, s.notInFile(provider)
	case damage != "":
		return p, fault.New(fault.Invalid, "%s", s.damageText(damage))
	}
	return p, nil
}

// placeKey records in the file where a key is, or with none that there is none; session is the key
// to keep in memory.
func (s *Store) placeKey(provider, place, session string, none bool) error {
	err := s.edit(func(root *yaml.Node) error {
		_, node := byID(child(root, "providers"), provider)
		if node == nil {
			return s.notInFile(provider)
		}
		put(node, "key", place, none)
		if !none {
			remove(node, "keyEnv")
		}
		return nil
	})
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if delete(s.session, provider); session != "" {
		s.session[provider] = session
	}
	return nil
}

// Key returns the key of a provider: "" and no error for one that needs none. A missing key that
// should exist is a Provider fault with CodeKeyMissing. It may wait for the keyring, half a minute
// at most.
func (s *Store) Key(provider string) (string, error) {
	s.mu.Lock()
	p, err := s.byProvider(provider)
	builtIn, session := s.builtIn, s.session[provider]
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
	case p.Key.Store == "session":
		if session == "" {
			return "", missing("the key of %s was kept until the program ended. Enter it again in the settings", p.Name)
		}
		return session, nil
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
