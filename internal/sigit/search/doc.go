// Package search asks the public web through a provider that the operator
// chose. Web is the one thing here; a provider is an adapter, a small table
// entry that says how it is asked and how its answer is read.
//
// What comes back is text by strangers: it is cleaned of what people cannot
// see, and it is still not to be obeyed. Keys and the provider's own words
// reach neither answers nor the log. Who may search and how often is not
// decided here.
package search
