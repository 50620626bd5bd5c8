package settings

import (
	"errors"
	"time"

	"github.com/zalando/go-keyring"

	"mutsumi/backend/fault"
)

// keyringService is the name under which the keyring shows the program's keys.
const keyringService = "mutsumi"

const (
	readTime  = 30 * time.Second // the system may ask the person to unlock it
	writeTime = 60 * time.Second
)

// errNoKey means that the keyring works and lacks the key.
var errNoKey = errors.New("no such key")

func keyringSet(provider, key string) error {
	_, err := bounded(writeTime, func() (string, error) {
		return "", keyring.Set(keyringService, provider, key)
	})
	if errors.Is(err, keyring.ErrSetDataTooBig) {
		return fault.New(fault.Invalid, "the key is too long for the system's keyring: name an environment variable instead")
	}
	return err
}

func keyringGet(provider string) (string, error) {
	key, err := bounded(readTime, func() (string, error) { return keyring.Get(keyringService, provider) })
	if errors.Is(err, keyring.ErrNotFound) {
		return "", errNoKey
	}
	return key, err
}

func keyringDelete(provider string) error {
	_, err := bounded(writeTime, func() (string, error) { return "", keyring.Delete(keyringService, provider) })
	if errors.Is(err, keyring.ErrNotFound) {
		return nil
	}
	return err
}

// bounded calls the keyring for at most the given time. The library cannot be interrupted: a call
// that hangs is abandoned.
func bounded(limit time.Duration, call func() (string, error)) (string, error) {
	if reason := keyringMissing(); reason != "" {
		return "", noKeyring(reason)
	}
	type answer struct {
		key string
		err error
	}
	done := make(chan answer, 1)
	go func() {
		key, err := call()
		done <- answer{key, err}
	}()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case a := <-done:
		if a.err == nil || errors.Is(a.err, keyring.ErrNotFound) || errors.Is(a.err, keyring.ErrSetDataTooBig) {
			return a.key, a.err
		}
		if errors.Is(a.err, keyring.ErrUnsupportedPlatform) {
			return "", noKeyring("this system has none")
		}
		return "", noKeyring(a.err.Error())
	case <-timer.C:
		return "", noKeyring("it did not answer within " + limit.String())
	}
}

func noKeyring(reason string) error {
	return fault.New(fault.Invalid, "Could not use the system's keyring: %s. Put the key into an environment variable and enter that variable's name instead", reason)
}
