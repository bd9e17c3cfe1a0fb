/** The names of the event types in `Events`. */
export type EventType<Events extends object> = Extract<keyof Events, string>

/** What can be said of an event besides its type and data. */
export interface EventDetails<Data = unknown> {
  /**
   * The whole data as it was before the change that the event reports. Receivers and filters can tell with it what has
   * changed. `data` and `previous` have at most 256 KiB together.
   */
  readonly previous?: Data | undefined
  /** The data as JSON text, kept to the letter: `10.50` stays `10.50`. In place of `data`, which is undefined then. */
  readonly dataText?: string | undefined
  /** The same of `previous`. */
  readonly previousText?: string | undefined
  /**
   * 1 to 255 characters, valid for 24 hours: within them, publishing the same event again returns the first event, and
   * another event with the same key is a `CONFLICT`. Give the id of what happened, such as that of an order, if your
   * program may call `publish` twice for it.
   *
   * @default a random key, which makes the retries of one call safe
   */
  readonly idempotencyKey?: string | undefined
  /**
   * When the event occurred: a `Date`, or an RFC 3339 text such as `2026-01-31T12:00:00Z`.
   *
   * @default the time at which Posthorn stores the event
   */
  readonly timestamp?: Date | string | undefined
  /** The W3C trace context that receivers get: `00-<32 hex>-<16 hex>-<2 hex>`. */
  readonly traceparent?: string | undefined
}

/** The limits of one call. */
export interface CallOptions {
  /**
   * Ends the call: its promise rejects with the reason of the signal. The event may have been published, or the mutation
   * may have acted; to publish an event again safely, give an `idempotencyKey` of your own.
   */
  readonly signal?: AbortSignal | undefined
  /**
   * The time for all tries, in milliseconds. 0: one try of at most 10 seconds.
   *
   * @default `timeoutMs` of the client
   */
  readonly timeoutMs?: number | undefined
}

/** The options of `request`. */
export interface RequestOptions extends CallOptions {
  /** `events`: the graph of the event types, at `/graphql/events`. Default: the API, at `/graphql`. */
  readonly graph?: 'events' | undefined
}

export interface PublishOptions<Data = unknown> extends EventDetails<Data>, CallOptions {}

/** An event for `publishMany`. */
export type NewEvent<Events extends object = Record<string, unknown>> = {
  [Type in EventType<Events>]: EventDetails<Events[Type]> & {
    readonly type: Type
    /** Any JSON value but null, of at most 256 KiB. It is sent as `JSON.stringify` prints it. */
    readonly data: Events[Type]
  }
}[EventType<Events>]

export interface PublishedEvent {
  /** The id of the event: `evt_…`. */
  readonly id: string
  /** The number of deliveries: one per enabled webhook that subscribes to the type. 0 for a duplicate. */
  readonly deliveryCount: number
  /** Whether the event was stored before: by an earlier call with its key, or by a try whose answer was lost. */
  readonly duplicate: boolean
}
