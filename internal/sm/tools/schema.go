package tools

import (
	"encoding/json"
	"strings"
)

// argument is one property of an input schema.
type argument struct {
	name     string
	required bool
	body     string // members of the property's schema
}

const integerMax = `"maximum":9007199254740991`

// text, switched, positive and so on are the types that arguments have.
func text(name, about string) argument {
	return argument{name, false, `"description":` + quoted(about) + `,"type":"string"`}
}

func switched(name, about string) argument {
	return argument{name, false, `"description":` + quoted(about) + `,"type":"boolean"`}
}

func positive(name, about string) argument {
	return argument{name, false, `"description":` + quoted(about) + `,"type":"integer","exclusiveMinimum":0,` + integerMax}
}

func natural(name, about string) argument {
	return argument{name, false, `"description":` + quoted(about) + `,"type":"integer","minimum":0,` + integerMax}
}

// whole is any integer that a JSON number holds exactly.
func whole(name, about string) argument {
	return argument{name, false, `"description":` + quoted(about) + `,"type":"integer","minimum":-9007199254740991,` + integerMax}
}

// positives is a list of integers above zero.
func positives(name, about string) argument {
	return argument{name, false, `"description":` + quoted(about) + `,"type":"array","items":{"type":"integer","exclusiveMinimum":0,` + integerMax + `}`}
}

// one is one of some words.
func one(name, about string, words ...string) argument {
	var list []string
	for _, w := range words {
		list = append(list, quoted(w))
	}
	return argument{name, false, `"description":` + quoted(about) + `,"type":"string","enum":[` + strings.Join(list, ",") + `]`}
}

func texts(name, about string) argument {
	return argument{name, false, `"description":` + quoted(about) + `,"type":"array","items":{"type":"string"}`}
}

// must makes an argument required.
func must(a argument) argument {
	a.required = true
	return a
}

// object is the input schema of a tool with these arguments. Others are let
// through and ignored, as the contract has it.
func object(arguments ...argument) json.RawMessage {
	var properties, required []string
	for _, a := range arguments {
		properties = append(properties, quoted(a.name)+":{"+a.body+"}")
		if a.required {
			required = append(required, quoted(a.name))
		}
	}
	s := `{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{` + strings.Join(properties, ",") + `}`
	if required != nil {
		s += `,"required":[` + strings.Join(required, ",") + `]`
	}
	return json.RawMessage(s + "}")
}

func quoted(s string) string {
	b, _ := json.Marshal(s) // a string always encodes
	return string(b)
}
