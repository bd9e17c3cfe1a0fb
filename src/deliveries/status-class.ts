/** The first digit of an HTTP status. 0: no response. */
export type StatusClass = 0 | 2 | 3 | 4 | 5

/** The classes of failed attempts. */
export const FAILED: readonly StatusClass[] = [0, 3, 4, 5]
