// Package finding holds the nouns of what agents report about files: Record,
// one finding with where it stands, and Suppression, what people do not want
// to hear of again, of a class of findings (Class) or of one issue (Value).
//
// Everything here is pure. Rows are kept by package store, suppressions stand
// in sidecars, and package atlas brings the two together.
package finding
