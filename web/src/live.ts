// The wire to the server: events in, nothing out. It comes back by itself, a
// little later each time, and says how it stands.

import type { WireEvent } from "./wire";

export interface Wire {
  close(): void;
  retry(): void;
}

const waits = [500, 1000, 2000, 4000, 8000, 15000];

export function listen(hear: (e: WireEvent) => void, stand: (state: "connecting" | "live" | "lost", retryAt: number, again: boolean) => void): Wire {
  let socket: WebSocket | null = null;
  let timer = 0;
  let tries = 0;
  let everLive = false;
  let closed = false;

  const open = () => {
    clearTimeout(timer);
    stand(everLive ? "lost" : "connecting", 0, false);
    const url = new URL("/ws", location.href);
    url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
    const s = new WebSocket(url);
    socket = s;
    s.onopen = () => {
      tries = 0;
      stand("live", 0, everLive);
      everLive = true;
    };
    s.onmessage = (m) => {
      try {
        hear(JSON.parse(m.data as string) as WireEvent);
      } catch {
        // Not a frame of ours.
      }
    };
    s.onclose = () => {
      if (closed || socket !== s) return;
      const wait = waits[Math.min(tries++, waits.length - 1)];
      stand("lost", Date.now() + wait, false);
      timer = window.setTimeout(open, wait);
    };
  };
  open();
  window.addEventListener("online", () => socket?.readyState !== WebSocket.OPEN && open());
  return {
    close() {
      closed = true;
      clearTimeout(timer);
      socket?.close();
    },
    retry() {
      if (socket?.readyState === WebSocket.OPEN) return;
      const old = socket;
      socket = null;
      old?.close();
      open();
    },
  };
}
