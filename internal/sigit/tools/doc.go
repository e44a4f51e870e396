// Package tools is the forge's door for agents: the tools of the Model Context
// Protocol, and Handler, which serves them.
//
// A tool is one value: what it takes, what it gives, what it says of itself,
// and a function that calls one verb of the forge. The listing, the checking
// of arguments and the page of documentation are made from it. To add a tool,
// write its value and add a line to registry.
//
// What may be done is decided in the verbs, by the actor of the request. What
// goes wrong there is an answer that the model reads, never an error of the
// protocol.
package tools

//go:generate go test -run ^TestGolden$|^TestPage$ . -update
