//go:build !unix

package config

// lockFolder does nothing where folders cannot be locked.
func lockFolder(string) (unlock func()) { return func() {} }
