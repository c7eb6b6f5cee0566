// What waits in this browser until the server has it: in IndexedDB, so that a reload or a crash of the browser loses
// nothing. (The last seconds before a power failure may not be on the disk yet.) Each person has their own database.
import type { Message } from "../model/messages";

export interface Waiting {
  /** Their order. */
  id: number;
  message: Message;
  /** Why the server did not take it. It waits for its assessor, not for the network. */
  problem?: string;
}

export interface Store {
  /** All of them or, if it fails, none. */
  add(messages: readonly Message[]): Promise<void>;
  all(): Promise<Waiting[]>;
  put(waiting: Waiting): Promise<void>;
  remove(id: number): Promise<void>;
}

const NAME = "waiting";

const resultOf = <Result>(request: IDBRequest<Result>): Promise<Result> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

function open(name: string): Promise<IDBDatabase> {
  const request = indexedDB.open(name, 1);
  request.onupgradeneeded = () => request.result.createObjectStore(NAME, { keyPath: "id", autoIncrement: true });
  return resultOf(request);
}

const nameOf = (user: string): string => `assess-${user}`;

/** Whether anything of this person may wait; nothing does if the browser blocks site data. */
export async function hasStore(user: string): Promise<boolean> {
  try {
    return (await indexedDB.databases()).some(({ name }) => name === nameOf(user));
  } catch {
    return false;
  }
}

export class BrowserStore implements Store {
  private constructor(private readonly database: IDBDatabase) {}

  static async of(user: string): Promise<BrowserStore> {
    return new BrowserStore(await open(nameOf(user)));
  }

  /** Resolves when the browser has committed the change as a whole. */
  private change(work: (store: IDBObjectStore) => void): Promise<void> {
    return new Promise((resolve, reject) => {
      const transaction = this.database.transaction(NAME, "readwrite");
      transaction.oncomplete = () => resolve();
      transaction.onabort = () => reject(transaction.error);
      try {
        work(transaction.objectStore(NAME));
      } catch (error) {
        reject(error);
        transaction.abort(); // else what was done before would stay
      }
    });
  }

  add(messages: readonly Message[]): Promise<void> {
    return this.change((store) => {
      for (const message of messages) store.add({ message });
    });
  }

  all(): Promise<Waiting[]> {
    return resultOf(this.database.transaction(NAME).objectStore(NAME).getAll());
  }

  put(waiting: Waiting): Promise<void> {
    return this.change((store) => store.put(waiting));
  }

  remove(id: number): Promise<void> {
    return this.change((store) => store.delete(id));
  }
}
