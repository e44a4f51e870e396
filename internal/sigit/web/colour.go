package web

import (
	"html/template"
	"path"
	"strings"
	"time"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"
)

// colourist marks up code. It knows few classes, so that pages stay small.
type colourist struct {
	known *cache[string, []template.HTML]
}

func newColourist() *colourist { return &colourist{known: newCache[string, []template.HTML](128)} }

const (
	// colourTime is how long one piece of code may take; the rest stays plain.
	colourTime = 150 * time.Millisecond
	// maxColouredLine is the longest line of code that people write; a file
	// with longer ones is data.
	maxColouredLine = 2000
)

// lines marks up code line by line. The language is found by the name of the
// file, or of the language itself. key, when there is one, names the content:
// the answer is remembered under it.
func (c *colourist) lines(key, name, code string) []template.HTML {
	if key == "" {
		return colour(name, code)
	}
	key += "\x00" + name
	if known, ok := c.known.get(key); ok {
		return known
	}
	list := colour(name, code)
	c.known.put(key, list)
	return list
}

func colour(name, code string) []template.HTML {
	code = strings.ReplaceAll(code, "\r\n", "\n")
	lexer := lexerFor(name)
	if lexer == nil || tooLong(code) {
		return plain(code)
	}
	tokens, err := lexer.Tokenise(&chroma.TokeniseOptions{State: "root", EnsureLF: true}, code)
	if err != nil {
		return plain(code)
	}
	return markUp(tokens, code)
}

func lexerFor(name string) chroma.Lexer {
	var lexer chroma.Lexer
	if strings.ContainsAny(name, "./") {
		lexer = lexers.Match(path.Base(name))
	} else if name != "" {
		lexer = lexers.Get(name)
	}
	if lexer == nil || lexer == lexers.Fallback {
		return nil
	}
	return chroma.Coalesce(lexer)
}

func tooLong(code string) bool {
	for line := range strings.SplitSeq(code, "\n") {
		if len(line) > maxColouredLine {
			return true
		}
	}
	return false
}

// plain is code without marks.
func plain(code string) []template.HTML {
	var list []template.HTML
	for line := range strings.SplitSeq(strings.TrimSuffix(code, "\n"), "\n") {
		list = append(list, template.HTML(escape(line)))
	}
	return list
}

// markUp writes tokens as lines of spans. Neighbours of one class share a span.
func markUp(tokens chroma.Iterator, code string) []template.HTML {
	var list []template.HTML
	var line strings.Builder
	open := ""
	span := func(class string) {
		if class == open {
			return
		}
		if open != "" {
			line.WriteString("</span>")
		}
		if class != "" {
			line.WriteString(`<span class="` + class + `">`)
		}
		open = class
	}
	deadline, done := time.Now().Add(colourTime), 0
	for token := tokens(); token != chroma.EOF; token = tokens() {
		class := classOf(token.Type)
		for i, text := range strings.Split(token.Value, "\n") {
			if i > 0 {
				span("")
				list = append(list, template.HTML(line.String()))
				line.Reset()
			}
			if text != "" {
				if strings.TrimSpace(text) != "" {
					span(class)
				}
				line.WriteString(escape(text))
			}
		}
		if done += len(token.Value); time.Now().After(deadline) && done < len(code) {
			span("")
			rest := plain(code[done:])
			list = append(list, template.HTML(line.String())+rest[0])
			return append(list, rest[1:]...)
		}
	}
	span("")
	if line.Len() > 0 {
		list = append(list, template.HTML(line.String()))
	}
	return list
}

// classOf is the class of a token, empty for what needs no colour.
func classOf(t chroma.TokenType) string {
	switch t {
	case chroma.KeywordType:
		return "kt"
	case chroma.LiteralStringEscape, chroma.LiteralStringInterpol, chroma.LiteralStringRegex:
		return "se"
	case chroma.NameFunction, chroma.NameFunctionMagic:
		return "nf"
	case chroma.NameClass, chroma.NameException, chroma.NameNamespace:
		return "nc"
	case chroma.NameTag:
		return "nt"
	case chroma.NameAttribute, chroma.NameProperty:
		return "na"
	case chroma.NameBuiltin, chroma.NameBuiltinPseudo, chroma.NameConstant, chroma.NameDecorator:
		return "nb"
	case chroma.OperatorWord, chroma.OperatorReserved:
		return "k"
	case chroma.CommentPreproc, chroma.CommentPreprocFile:
		return "cp"
	case chroma.GenericHeading, chroma.GenericSubheading:
		return "gh"
	case chroma.GenericInserted:
		return "gi"
	case chroma.GenericDeleted:
		return "gd"
	case chroma.GenericEmph:
		return "ge"
	case chroma.GenericStrong:
		return "gs"
	}
	switch t.Category() {
	case chroma.Keyword:
		return "k"
	case chroma.Comment:
		return "c"
	}
	switch t.SubCategory() {
	case chroma.LiteralString:
		return "s"
	case chroma.LiteralNumber:
		return "m"
	case chroma.NameVariable:
		return "nv"
	}
	return ""
}

var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "'", "&#39;", "\x00", "\uFFFD")

// escape is text that stays text in markup.
func escape(s string) string { return escaper.Replace(s) }
