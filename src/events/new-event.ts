/** An event to publish. `data` is any JSON value. */
export interface NewEvent {
  readonly type: string
  readonly data: unknown
  /** When it occurred; default: now. */
  readonly occurredAt?: Date | null
  /** 1 to 255 characters, remembered for 24 hours: publishing again with it answers with the first event. */
  readonly idempotencyKey?: string | null
  /** The W3C trace context to send on with every delivery. */
  readonly traceParent?: string | null
}
