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
  add(message: Message): Promise<void>;
  all(): Promise<Waiting[]>;
  put(waiting: Waiting): Promise<void>;
  remove(id: number): Promise<void>;
}

const NAME = "waiting";

function opened(name: string): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(name, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(NAME, { keyPath: "id", autoIncrement: true });
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
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
      const request = database.transaction(NAME).objectStore(NAME).getAll() as IDBRequest<Waiting[]>;
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
  }

  put(waiting: Waiting): Promise<void> {
    return this.change((store) => store.put(waiting));
  }

  remove(id: number): Promise<void> {
    return this.change((store) => store.delete(id));
  }
}

/** For a browser that keeps nothing: messages wait as long as the page is open. */
export class PageStore implements Store {
  waiting: Waiting[] = [];
  private last = 0;
  async add(message: Message): Promise<void> {
    this.waiting.push({ id: ++this.last, message });
  }
  async all(): Promise<Waiting[]> {
    return [...this.waiting];
  }
  async put(changed: Waiting): Promise<void> {
    this.waiting = this.waiting.map((waiting) => (waiting.id === changed.id ? changed : waiting));
  }
  async remove(id: number): Promise<void> {
    this.waiting = this.waiting.filter((waiting) => waiting.id !== id);
  }
}
