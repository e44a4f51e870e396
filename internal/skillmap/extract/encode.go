package extract

import (
	"encoding/binary"
	"errors"
	"math"

	"skillforge/internal/skillmap"
)

var errShort = errors.New("encoded signal is cut short")

// What an encoded signal leaves out because another field says it.
const (
	rawIsOriginal = 1 << iota
	targetIsOriginal
	normalizedIsOriginal
	normalizedIsTarget
	hasRange
	hasFields
)

// AppendSignal appends a compact form of the signal to b. ConsumeSignal reads
// it back.
func AppendSignal(b []byte, s Signal) []byte {
	flags := s.flags()
	b = append(b, flags)
	b = appendString(b, s.Extractor)
	b = appendString(b, string(s.Kind))
	b = binary.LittleEndian.AppendUint64(b, math.Float64bits(s.Confidence))
	b = appendString(b, s.Original)
	b = appendString(b, s.Context)
	if flags&targetIsOriginal == 0 {
		b = appendString(b, s.Target)
	}
	if flags&(normalizedIsOriginal|normalizedIsTarget) == 0 {
		b = appendString(b, s.Normalized)
	}
	if flags&rawIsOriginal == 0 {
		b = appendString(b, s.Raw)
	}
	if flags&hasRange != 0 {
		b = appendRange(b, s.Range)
	}
	if flags&hasFields != 0 {
		b = binary.AppendUvarint(b, uint64(len(s.FieldPath)))
		for _, f := range s.FieldPath {
			b = appendString(b, f)
		}
	}
	return b
}

func (s *Signal) flags() byte {
	var f byte
	if s.Raw == s.Original {
		f |= rawIsOriginal
	}
	if s.Target == s.Original {
		f |= targetIsOriginal
	}
	if s.Normalized == s.Original {
		f |= normalizedIsOriginal
	} else if s.Normalized == s.Target {
		f |= normalizedIsTarget
	}
	if s.Range != (Range{}) {
		f |= hasRange
	}
	if len(s.FieldPath) > 0 {
		f |= hasFields
	}
	return f
}

func appendRange(b []byte, r Range) []byte {
	for _, n := range [...]int{r.Start, r.End, r.Line, r.From, r.To} {
		b = binary.AppendUvarint(b, uint64(n))
	}
	return b
}

func appendString(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// ConsumeSignal reads one signal from the start of text and gives what
// follows it. The strings of the signal are slices of text. It errs on text
// that AppendSignal did not write, as far as that can be seen.
func ConsumeSignal(text string) (s Signal, rest string, err error) {
	r := reader{text: text}
	flags := r.byte()
	s.Extractor = r.string()
	s.Kind = skillmap.LinkKind(r.string())
	s.Confidence = r.float()
	s.Original = r.string()
	s.Context = r.string()
	s.Target, s.Normalized, s.Raw = s.Original, s.Original, s.Original
	if flags&targetIsOriginal == 0 {
		s.Target = r.string()
	}
	if flags&normalizedIsTarget != 0 {
		s.Normalized = s.Target
	} else if flags&normalizedIsOriginal == 0 {
		s.Normalized = r.string()
	}
	if flags&rawIsOriginal == 0 {
		s.Raw = r.string()
	}
	if flags&hasRange != 0 {
		s.Range = Range{Start: r.int(), End: r.int(), Line: r.int(), From: r.int(), To: r.int()}
	}
	if flags&hasFields != 0 {
		for n := r.int(); n > 0 && !r.short; n-- {
			s.FieldPath = append(s.FieldPath, r.string())
		}
	}
	if r.short {
		return Signal{}, "", errShort
	}
	return s, r.text, nil
}

// reader takes fields off the front of text; after the first that is not
// there it is short and gives zeros.
type reader struct {
	text  string
	short bool
}

func (r *reader) take(n int) string {
	if n < 0 || n > len(r.text) {
		r.short, r.text = true, ""
		return ""
	}
	out := r.text[:n]
	r.text = r.text[n:]
	return out
}

func (r *reader) byte() byte {
	if b := r.take(1); b != "" {
		return b[0]
	}
	return 0
}

func (r *reader) int() int {
	var n uint64
	for shift := 0; shift < 63; shift += 7 {
		b := r.byte()
		n |= uint64(b&0x7f) << shift
		if b < 0x80 {
			return int(n)
		}
	}
	r.short = true
	return 0
}

func (r *reader) string() string { return r.take(r.int()) }

func (r *reader) float() float64 {
	b := r.take(8)
	if b == "" {
		return 0
	}
	var n uint64
	for i := 7; i >= 0; i-- {
		n = n<<8 | uint64(b[i])
	}
	return math.Float64frombits(n)
}
