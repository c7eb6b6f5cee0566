// What an assessor decides about one document, and what the server says stands.

/** `after`: the key of the judgment that the assessor knew of, empty where there was none. An empty `word` takes a
 * judgment back. Times in milliseconds since the document was opened. */
export interface Decision {
  key: string;
  assignment: string;
  place: number;
  instance: string;
  content_hash: string;
  after: string;
  word: string;
  comment: string;
  active_ms: number;
  wall_ms: number;
}

/** What the server keeps of a document; nothing is an empty word. */
export interface Standing {
  word: string;
  comment: string;
  key: string;
}

export interface ItemHtml {
  place: number;
  html: string;
}
