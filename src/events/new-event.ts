/** An event to publish. `data` is any JSON value. */
export interface NewEvent {
  readonly type: string
  readonly data: unknown
  /** The text of `data`, to keep it as it is. Default: `data` as `JSON.stringify` prints it. */
  readonly dataText?: string
  /** What `data` was before the change that the event reports. Null: not given. */
  readonly previous?: unknown
  /** The text of `previous`, to keep it as it is. */
  readonly previousText?: string
  /** Default: now. */
  readonly occurredAt?: Date | null
  /** 1 to 255 characters. For 24 hours, publishing with the same key returns the first event. */
  readonly idempotencyKey?: string | null
  /** A W3C `traceparent`, sent with every delivery of the event. */
  readonly traceParent?: string | null
  /** A W3C `tracestate`, sent with the `traceparent`. */
  readonly traceState?: string | null
}
