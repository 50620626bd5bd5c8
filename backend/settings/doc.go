// Package settings stores data that belongs to the person and not to a folder: providers with their
// models and keys, preferences, and the state of each window. Providers and preferences are a YAML
// file that people edit by hand too, so comments, order and unknown keys survive; keys are in the
// system's keyring or in an environment variable and nowhere else.
//
// Its only requests are Discover's to this machine, and it sends nothing to a model. Called by
// workspace, cli and the root.
package settings
