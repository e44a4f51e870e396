//go:build !unix

package scan

import (
	"io"
	"os"
)

func (d disk) look(name string) (stamp, error) { return stampOf(os.Lstat(d.abs(name))) }

func (d disk) follow(name string) (stamp, error) { return stampOf(os.Stat(d.abs(name))) }

func (d disk) read(name string, buf []byte, limit int64) ([]byte, error) {
	f, err := os.Open(d.abs(name))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readInto(buf, io.LimitReader(f, limit))
}
