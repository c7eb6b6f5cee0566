// What a lab judges by, as the page gives it.

/** `grades`: each value with the key that the lab chose, the highest first. `outcomes`: each word, and whether a reason is
 * needed, asked for, or neither. `names`: what each word is called, and the class of its colour and shape. */
export interface Scale {
  readonly grades: readonly (readonly [word: string, key: string])[];
  readonly outcomes: readonly (readonly [word: string, reason: "needed" | "asked" | ""])[];
  readonly names: Readonly<Record<string, readonly [name: string, style: string]>>;
  readonly hasThreads: boolean;
}

export const isGrade = (word: string): boolean => /^-?\d+$/.test(word);
