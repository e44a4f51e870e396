package git

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// The pkt-line framing of git's protocol (gitprotocol-common): four hex
// digits that count themselves and the payload. "0000" is a flush.

// MaxPkt is the largest packet git sends, its header included.
const MaxPkt = 65520

var errPkt = errors.New("git: not a pkt-line")

// readPkt reads one packet. A flush has a nil payload.
func readPkt(in *bufio.Reader) ([]byte, error) {
	var head [4]byte
	if _, err := io.ReadFull(in, head[:]); err != nil {
		return nil, err
	}
	n, err := strconv.ParseUint(string(head[:]), 16, 32)
	if err != nil {
		return nil, fmt.Errorf("%w: header %q", errPkt, head)
	}
	if n == 0 {
		return nil, nil
	}
	if n < 4 || n > MaxPkt {
		return nil, fmt.Errorf("%w: length %d", errPkt, n)
	}
	payload := make([]byte, n-4)
	if _, err := io.ReadFull(in, payload); err != nil {
		return nil, fmt.Errorf("%w: %w", errPkt, err)
	}
	return payload, nil
}

// appendPkt frames a payload that is short enough.
func appendPkt(b []byte, payload string) []byte {
	return append(fmt.Appendf(b, "%04x", len(payload)+4), payload...)
}

// Push is what a client wants of receive-pack before it sends objects.
type Push struct {
	Commands     []Update
	Capabilities []string
	Options      []string // push options, when the client sends them
}

// Bounds on what a client may announce.
const (
	maxCommands = 10_000
	maxOptions  = 100
)

// ReadPush reads the command list of a push (gitprotocol-pack, "Reference
// Update Request") from the start of a request. It returns what was read, so
// that the request can be handed on whole, and leaves the packfile unread.
func ReadPush(in *bufio.Reader) (Push, []byte, error) {
	var p Push
	var raw []byte
	for {
		payload, err := readPkt(in)
		if err != nil {
			return p, raw, fmt.Errorf("read a push: %w", err)
		}
		if payload == nil {
			raw = append(raw, "0000"...)
			break
		}
		raw = appendPkt(raw, string(payload))
		if err := p.add(payload); err != nil {
			return p, raw, err
		}
	}
	if !p.Has("push-options") {
		return p, raw, nil
	}
	for {
		payload, err := readPkt(in)
		if err != nil {
			return p, raw, fmt.Errorf("read push options: %w", err)
		}
		if payload == nil {
			return p, append(raw, "0000"...), nil
		}
		raw = appendPkt(raw, string(payload))
		if len(p.Options) == maxOptions {
			return p, raw, fmt.Errorf("%w: over %d push options", errPkt, maxOptions)
		}
		p.Options = append(p.Options, strings.TrimSuffix(text(payload), "\n"))
	}
}

// add reads "old SP new SP ref", with capabilities behind a NUL on the first.
func (p *Push) add(payload []byte) error {
	line, caps, first := bytes.Cut(payload, []byte{0})
	if first && p.Capabilities == nil {
		p.Capabilities = strings.Fields(string(caps))
	}
	words := strings.SplitN(strings.TrimSuffix(string(line), "\n"), " ", 3)
	if len(words) == 2 && words[0] == "shallow" && isOID(words[1]) {
		return nil
	}
	if len(words) != 3 || !isOID(words[0]) || !isOID(words[1]) {
		return fmt.Errorf("%w: command %q", errPkt, clip(string(line)))
	}
	if len(p.Commands) == maxCommands {
		return fmt.Errorf("%w: over %d refs in one push", errPkt, maxCommands)
	}
	p.Commands = append(p.Commands, Update{Ref: words[2], Old: words[0], New: words[1]})
	return nil
}

// Has reports whether the client announced a capability.
func (p *Push) Has(capability string) bool {
	for _, c := range p.Capabilities {
		if c == capability {
			return true
		}
	}
	return false
}

// RefuseAll answers a push with one reason for every ref: what receive-pack
// itself would say if a hook refused. The client prints the reasons.
func (p *Push) RefuseAll(out io.Writer, reason func(Update) string) error {
	var report []byte
	report = appendPkt(report, "unpack ok\n")
	for _, c := range p.Commands {
		report = appendPkt(report, "ng "+clip(c.Ref)+" "+oneLine(reason(c))+"\n")
	}
	report = append(report, "0000"...)
	if !p.Has("report-status") && !p.Has("report-status-v2") {
		return nil
	}
	if p.Has("side-band-64k") {
		var framed []byte
		for len(report) > 0 {
			n := min(len(report), MaxPkt-5)
			framed = appendPkt(framed, "\x01"+string(report[:n]))
			report = report[n:]
		}
		report = append(framed, "0000"...)
	}
	_, err := out.Write(report)
	return err
}

func oneLine(s string) string {
	return strings.Map(func(c rune) rune {
		if c < ' ' || c == 0x7f {
			return ' '
		}
		return c
	}, s)
}
