/*
 * What a selection takes from JSON. Plans are plain JSON: the plan of a webhook is stored, so that the selection means the
 * same whatever becomes of the catalogue.
 *
 * The text of an event, for plans of the interface `Event` and of the types of events:
 *   {"id":"evt_…","type":"order.paid","occurredAt":"2026-01-31T12:00:00.000Z","publishedAt":"…","data":…,"previous":…}
 * `type` is the name of the event type in the catalogue. `data` and `previous` are the stored texts; `previous` is null if it was not given.
 */

export type ValuePlan = ScalarPlan | ListPlan | ObjectPlan

/**
 * A value of another JSON type is null. `json` is any value. Enums are strings and `Int` is a number: a value that a schema
 * does not list, or lists only later, stays as it is.
 */
export interface ScalarPlan {
  readonly kind: 'json' | 'string' | 'boolean' | 'number'
}

export interface ListPlan {
  readonly kind: 'list'
  readonly of: ValuePlan
}

/** Makes an object whose members have the keys, in their order. Each member is null until a read finds a value. */
export interface ObjectPlan {
  readonly kind: 'object'
  readonly keys: readonly string[]
  readonly reads: readonly Read[]
  /** The places of `__typename` in the keys. */
  readonly typenames: readonly number[]
  /** What they say. Null: the name of the type of the event. */
  readonly typename: string | null
}

/** What the value of a member is used for: for the key at a place, or for reads of its own members. */
export type Read =
  | { readonly name: string; readonly key: number; readonly value: ValuePlan }
  | { readonly name: string; readonly within: readonly Read[] }

/** The plan of a selection on `Event`. The name of the event type decides which case applies. */
export interface SelectionPlan {
  readonly cases: readonly { readonly eventType: string; readonly plan: ObjectPlan }[]
  /** For an event type without a case. */
  readonly other: ObjectPlan
  /** The types of events by their name in the catalogue, if `other` has a `__typename`. */
  readonly typenames?: Readonly<Record<string, string>>
}
