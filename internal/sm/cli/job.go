package cli

import (
	"strconv"
	"time"

	"skillforge/internal/skillmap/draw"
	"skillforge/internal/sm/job"
)

func jobsVerb() *verb {
	return &verb{
		name: "jobs", category: queueing, brief: "Work the queue of jobs for your agent", group: true,
		details: "A job asks your own agent for one piece of work on one file: to judge it, mend it, summarize it. sm queues, hands out, checks what comes back, and keeps it; it runs no model.",
	}
}

// jobTable shows jobs to a person.
func (s *session) jobTable(jobs []job.Job) string {
	p := s.tty.out
	t := table{head: []string{"ID", "STATUS", "EXTENSION", "NODE", "AGE"}, paint: func(column int, raw, padded string) string {
		if column != 1 {
			return padded
		}
		switch job.Status(raw) {
		case job.Completed:
			return p.green(padded)
		case job.Failed:
			return p.red(padded)
		case job.Running:
			return p.cyan(padded)
		}
		return padded
	}}
	for _, j := range jobs {
		t.rows = append(t.rows, []string{j.ID, string(j.Status), draw.Line(j.ExtensionID), draw.Line(j.NodeID), s.age(j.CreatedAt)})
	}
	return t.text(p, s.tty.wide)
}

// age is how long ago a moment (unix milliseconds) was.
func (s *session) age(ms int64) string {
	d := s.Now().Sub(time.UnixMilli(ms))
	switch {
	case d < time.Minute:
		return strconv.Itoa(max(0, int(d.Seconds()))) + "s"
	case d < time.Hour:
		return strconv.Itoa(int(d.Minutes())) + "m"
	case d < 48*time.Hour:
		return strconv.Itoa(int(d.Hours())) + "h"
	}
	return strconv.Itoa(int(d.Hours()/24)) + "d"
}
