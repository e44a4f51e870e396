package cli

import (
	"context"

	"skillforge/internal/skillmap/draw"
)

func jobsPreviewVerb() *verb {
	var id string
	var last bool
	return &verb{
		name: "jobs preview", category: queueing, brief: "Show the text that an agent gets",
		args:  []arg{maybe(&id, "ID", "the job")},
		flags: []flag{toggle(&last, "last", "", "The newest job.")},
		exits: []exit{{5, "there is no such job, or no map yet"}},
		run: func(ctx context.Context, s *session) error {
			if (id == "") == !last {
				return usage("say which job, or --last")
			}
			a, err := s.mapped()
			if err != nil {
				return err
			}
			defer func() { _ = a.Close() }() // a reader has nothing to lose
			_, text, err := a.Preview(ctx, id)
			if err != nil {
				return err
			}
			return s.write([]byte(draw.Clean(text)))
		},
	}
}
