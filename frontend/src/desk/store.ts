// What waits in this browser until the server has it: in IndexedDB, so that a reload or a crash of the browser loses
// none of it. (What was decided in the last seconds before a computer loses its power may not be on its disk yet.) Each
// person has a database of their own.
import type { Message } from "./decision";

export interface Waiting {
  /** Their order. */
  id: number;
  message: Message;
  /** Why the server did not take it; it waits for its assessor, not for the network. */
  problem?: string;
}

export interface Store {
  add(message: Message): Promise<void>;
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

/** The name of a person's database. */
export const nameOf = (user: string): string => `assess-${user}`;

export class BrowserStore implements Store {
  private readonly database: Promise<IDBDatabase>;

  constructor(user: string) {
    this.database = opened(nameOf(user));
  }

  /** Resolves when the browser has committed the change. */
  private async change(work: (store: IDBObjectStore) => void): Promise<void> {
    const database = await this.database;
    return new Promise((resolve, reject) => {
      const transaction = database.transaction(NAME, "readwrite");
      work(transaction.objectStore(NAME));
      transaction.oncomplete = () => resolve();
      transaction.onabort = () => reject(transaction.error);
    });
  }

  add(message: Message): Promise<void> {
    return this.change((store) => store.add({ message }));
  }

  async all(): Promise<Waiting[]> {
    const database = await this.database;
    return new Promise((resolve, reject) => {
      const asked = database.transaction(NAME).objectStore(NAME).getAll() as IDBRequest<Waiting[]>;
      asked.onsuccess = () => resolve(asked.result);
      asked.onerror = () => reject(asked.error);
    });
  }

  put(waiting: Waiting): Promise<void> {
    return this.change((store) => store.put(waiting));
  }

  remove(id: number): Promise<void> {
    return this.change((store) => store.delete(id));
  }
}

/** Where the browser keeps nothing: things wait as long as the page is open. */
export class PageStore implements Store {
  waiting: Waiting[] = [];
  private last = 0;
  async add(message: Message): Promise<void> {
    this.waiting.push({ id: ++this.last, message });
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
