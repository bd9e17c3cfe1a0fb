import { fieldIssue, invalid } from '../../lib/errors.ts'

/** A place in the stream of an organization: an event is its batch's position and its index in the batch. */
export interface Cursor {
  readonly position: number
  readonly index: number
}

const CURSOR = /^(\d{1,15})\.(\d{1,6})$/

export function printCursor({ position, index }: Cursor): string {
  return `${position}.${index}`
}

/** Throws `invalid` for anything that is no cursor. `at` is the name of the argument. */
export function parseCursor(text: string, at: string): Cursor {
  const [, position, index] = CURSOR.exec(text) ?? []
  if (position !== undefined) return { position: Number(position), index: Number(index) }
  const rule = 'must be the cursor of an event of the stream, as `cursor` has it.'
  throw invalid([fieldIssue([at], 'invalid_argument', rule)])
}

export function isBefore(a: Cursor, b: Cursor): boolean {
  return a.position === b.position ? a.index < b.index : a.position < b.position
}
