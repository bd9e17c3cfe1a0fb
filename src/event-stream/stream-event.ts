import { type ReadableEvent, readableEvent as readEvent } from '../filters/readable-data.ts'
import type { Cursor } from './cursor.ts'

/** An event of the stream. */
export interface StreamEvent extends Cursor {
  /** A uuid. */
  readonly id: string
  readonly type: string
  readonly occurredAt: Date
  /** The exact JSON text that was published. */
  readonly data: string
  /** The JSON text of `data` before the change. Null: not given. */
  readonly previous: string | null
}

const known = new WeakMap<StreamEvent, ReadableEvent | null>()

/** Parses an event once for all filters. Null if Postgres cannot read it: filters do not decide about such an event. */
export function readableEvent(event: StreamEvent): ReadableEvent | null {
  const before = known.get(event)
  if (before !== undefined) return before
  const readable = readEvent(event.data, event.previous)
  known.set(event, readable)
  return readable
}

/** How much memory an event takes, roughly. */
export function bytesOf({ data, previous }: StreamEvent): number {
  return EVENT_BYTES + 2 * (data.length + (previous?.length ?? 0))
}

const EVENT_BYTES = 400
