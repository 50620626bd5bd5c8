// Package settings keeps what belongs to the person and not to a folder:
// providers with their models and keys, preferences, and how each window was
// left. Providers and preferences are a YAML file that people edit by hand
// too, so comments, order and unknown keys survive; keys are in the system's
// keyring or in an environment variable and nowhere else.
//
// It makes no request but Discover's to this machine, and sends nothing to a
// model. Called by workspace, cli and the root.
package settings
