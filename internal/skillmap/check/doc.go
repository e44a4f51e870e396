// Package check judges a scanned graph: one file a rule.
package check
