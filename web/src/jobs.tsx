// The queue: what agents are asked to do, who is there to do it, and what just
// happened.

import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import * as act from "./act";
import * as api from "./api";
import * as s from "./state";
import { Absent, Blank, Button, Icon, Kind, Section, Segments, useClock } from "./ui";
import { ago, nice, plural } from "./words";
import type { Job } from "./wire";

type Which = "live" | "done" | "all";
const which = signal<Which>("all");

export function Jobs() {
  useClock(15);
  useEffect(() => void act.loadJobs(), []);
  const jobs = s.jobs.value;
  const list = Array.isArray(jobs) ? jobs.filter((j) => (which.value === "all" ? true : which.value === "live" ? isLive(j) : !isLive(j))) : [];
  return (
    <div class="drawer-inner">
      <Presence />
      {jobs === "absent" ? (
        <Absent what="Here stands the queue of jobs for your agent: what waits, what runs, what came of it." />
      ) : (
        <>
          <div class="drawer-tools">
            <Segments
              label="Which jobs"
              value={which.value}
              choices={[
                { value: "all", label: "All" },
                { value: "live", label: "Live" },
                { value: "done", label: "Done" },
              ]}
              onChoose={(v) => (which.value = v)}
            />
            <span class="grow" />
            <Button small icon="stop" disabled={s.liveJobs.value === 0} onClick={() => void many(api.cancelJobs(), "All live jobs are cancelled.")}>
              Cancel all
            </Button>
            <Button small icon="trash" disabled={!list.some((j) => !isLive(j))} onClick={() => void many(api.pruneJobs(), "Finished jobs are cleared.")}>
              Clear done
            </Button>
          </div>
          {jobs === null ? (
            <div class="skeleton" role="status" aria-label="Reading the queue">
              <span />
              <span />
            </div>
          ) : list.length === 0 ? (
            <Blank icon="queue" title={jobs.length === 0 ? "No jobs yet" : "None of these"}>
              <p>Select a node and ask an agent to look at it. The job waits here until your agent takes it.</p>
              <Button small icon="rocket" onClick={() => (s.drawer.value = "start")}>
                Set up an agent
              </Button>
            </Blank>
          ) : (
            <ul class="jobs">
              {list.slice(0, 200).map((j) => (
                <JobRow key={j.id} j={j} />
              ))}
            </ul>
          )}
        </>
      )}
      <Happenings />
    </div>
  );
}

const isLive = (j: Job) => j.status === "queued" || j.status === "running";

async function many(work: Promise<unknown>, said: string) {
  try {
    await work;
    s.tellUser(said, "good");
  } catch (err) {
    s.tellUser(api.textOf(err), "bad");
  }
  await act.loadJobs();
  s.pulse.value++;
}

function JobRow({ j }: { j: Job }) {
  const item = s.itemOf(j.nodeId);
  return (
    <li>
      <span class={"job-state is-" + j.status}>{j.status}</span>
      <span class="two-lines">
        <span>
          {nice(j.extensionId)}
          {j.failureReason && <span class="bad"> {j.failureReason}</span>}
        </span>
        <span class="quiet">
          {item ? (
            <button type="button" class="link" onClick={() => act.reveal(j.nodeId)}>
              <Kind kind={item.kind} small /> {item.name}
            </button>
          ) : (
            j.nodeId
          )}
          {" · "}
          {ago(j.finishedAt ?? j.claimedAt ?? j.createdAt)}
          {j.runner && ` · ${j.runner}`}
        </span>
      </span>
      {isLive(j) && <Button icon="close" label={`Cancel ${j.id}`} tone="quiet" small onClick={() => void many(api.cancelJob(j.id), "Cancelled.")} />}
    </li>
  );
}

export function Presence() {
  const p = s.presence.value;
  const on = p?.attending === true;
  return (
    <div class={"presence" + (on ? " is-on" : "")} role="status">
      <span class="presence-dot" />
      <span class="two-lines">
        <strong>{on ? "An agent works the queue" : "No agent has answered yet"}</strong>
        <span class="quiet">{p?.lastClaimAt ? `Last took a job ${ago(p.lastClaimAt)}.` : on ? "It reported a job." : "None took a job since this server started."}</span>
      </span>
      {!on && s.drawer.value !== "start" && (
        <Button small onClick={() => (s.drawer.value = "start")}>
          Set up
        </Button>
      )}
    </div>
  );
}

function Happenings() {
  const list = s.happenings.value;
  return (
    <Section title="Just now" count={list.length || undefined} open={list.length > 0}>
      {list.length === 0 ? (
        <p class="none">What agents do shows up here, and lights its node on the map.</p>
      ) : (
        <ul class="plain-list happenings">
          {list.slice(0, 30).map((h, i) => (
            <li key={i}>
              <Icon name="spark" />
              <span>
                {h.path && s.index.value.has(h.path) ? (
                  <button type="button" class="link" onClick={() => act.reveal(h.path!)}>
                    {h.text}
                  </button>
                ) : (
                  h.text
                )}
              </span>
              <span class="quiet">{ago(h.at)}</span>
            </li>
          ))}
        </ul>
      )}
      {list.length > 30 && <p class="hint">{plural(list.length - 30, "older one")} not shown.</p>}
    </Section>
  );
}
