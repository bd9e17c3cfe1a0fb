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

/** How much memory an event takes, roughly. */
export function bytesOf({ data, previous }: StreamEvent): number {
  return EVENT_BYTES + 2 * (data.length + (previous?.length ?? 0))
}

const EVENT_BYTES = 400
