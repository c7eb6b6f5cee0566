// Decisions that wait in this browser until the server has them: in IndexedDB, so that a reload, a crash or a dead
// battery loses none. Each person has a database of their own.
import type { Decision } from "./decision";

export interface Waiting {
  /** Their order. */
  id: number;
  decision: Decision;
  /** Why the server did not take it; it waits for its assessor, not for the network. */
  problem?: string;
}

export interface Store {
  add(decision: Decision): Promise<number>;
  all(): Promise<Waiting[]>;
  put(waiting: Waiting): Promise<void>;
  remove(id: number): Promise<void>;
}

const NAME = "waiting";

function opened(name: string): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const asked = indexedDB.open(name, 1);
    asked.onupgradeneeded = () => asked.result.createObjectStore(NAME, { keyPath: "id", autoIncrement: true });
    asked.onsuccess = () => resolve(asked.result);
    asked.onerror = () => reject(asked.error);
  });
}

/** Whether the person has a store in this browser already. */
export const nameOf = (user: string): string => `assess-${user}`;

export class BrowserStore implements Store {
  private readonly database: Promise<IDBDatabase>;

  constructor(user: string) {
    this.database = opened(nameOf(user));
  }

  /** Resolves when the change is on its way to the disk, not before. */
  private async change<Result>(work: (store: IDBObjectStore) => IDBRequest<Result>): Promise<Result> {
    const database = await this.database;
    return new Promise((resolve, reject) => {
      const transaction = database.transaction(NAME, "readwrite");
      const asked = work(transaction.objectStore(NAME));
      transaction.oncomplete = () => resolve(asked.result);
      transaction.onabort = () => reject(transaction.error);
    });
  }

  async add(decision: Decision): Promise<number> {
    return Number(await this.change((store) => store.add({ decision })));
  }

  async all(): Promise<Waiting[]> {
    const database = await this.database;
    return new Promise((resolve, reject) => {
      const asked = database.transaction(NAME).objectStore(NAME).getAll() as IDBRequest<Waiting[]>;
      asked.onsuccess = () => resolve(asked.result);
      asked.onerror = () => reject(asked.error);
    });
  }

  async put(waiting: Waiting): Promise<void> {
    await this.change((store) => store.put(waiting));
  }

  async remove(id: number): Promise<void> {
    await this.change((store) => store.delete(id));
  }
}

/** Where the browser keeps nothing: a decision waits as long as the page is open. */
export class PageStore implements Store {
  waiting: Waiting[] = [];
  private last = 0;
  async add(decision: Decision): Promise<number> {
    this.waiting.push({ id: ++this.last, decision });
    return this.last;
  }
  async all(): Promise<Waiting[]> {
    return [...this.waiting];
  }
  async put(one: Waiting): Promise<void> {
    this.waiting = this.waiting.map((other) => (other.id === one.id ? one : other));
  }
  async remove(id: number): Promise<void> {
    this.waiting = this.waiting.filter((one) => one.id !== id);
  }
}
