// What the page remembers between visits, in the browser: places on the map in
// IndexedDB, small choices in local storage. A browser that keeps nothing costs
// only that.

import type { Places } from "./arrange";

const store = "places";

function open(): Promise<IDBDatabase> {
  return new Promise((done, fail) => {
    const asked = indexedDB.open("skill-map", 1);
    asked.onupgradeneeded = () => asked.result.createObjectStore(store);
    asked.onsuccess = () => done(asked.result);
    asked.onerror = () => fail(asked.error);
    asked.onblocked = () => fail(new Error("blocked"));
  });
}

// readPlaces gives what was kept under a key, empty when there is nothing.
export async function readPlaces(key: string): Promise<Places> {
  try {
    const db = await open();
    const kept = await new Promise<{ ids: string[]; at: Float32Array } | undefined>((done, fail) => {
      const asked = db.transaction(store).objectStore(store).get(key);
      asked.onsuccess = () => done(asked.result);
      asked.onerror = () => fail(asked.error);
    });
    db.close();
    const places: Places = new Map();
    kept?.ids.forEach((path, i) => places.set(path, [kept.at[2 * i], kept.at[2 * i + 1]]));
    return places;
  } catch {
    return new Map();
  }
}

export async function writePlaces(key: string, places: Places): Promise<void> {
  try {
    const ids = [...places.keys()];
    const at = new Float32Array(ids.length * 2);
    ids.forEach((path, i) => at.set(places.get(path)!, 2 * i));
    const db = await open();
    await new Promise<void>((done, fail) => {
      const tx = db.transaction(store, "readwrite");
      tx.objectStore(store).put({ ids, at }, key);
      tx.oncomplete = () => done();
      tx.onerror = () => fail(tx.error);
    });
    db.close();
  } catch {
    // Kept nowhere: the next visit lays out anew, to the same picture.
  }
}

// recall and keep are for small values, under the project's own name.
export function recall<T>(name: string, fallback: T): T {
  try {
    const text = localStorage.getItem("skill-map:" + name);
    return text === null ? fallback : (JSON.parse(text) as T);
  } catch {
    return fallback;
  }
}

export function keep(name: string, value: unknown): void {
  try {
    localStorage.setItem("skill-map:" + name, JSON.stringify(value));
  } catch {
    // Full or forbidden.
  }
}
