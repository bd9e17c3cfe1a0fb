import type { WorkBudget } from '../lib/work-budget.ts'
import type { PathSlicer } from './path-slicer.ts'

/** The bytes of a template's text in UTF-8. */
export const MAX_TEMPLATE_BYTES = 32 * 1024

/** The placeholders of a template. */
export const MAX_PLACEHOLDERS = 100

/** The functions of a placeholder. */
export const MAX_FUNCTIONS = 8

/** The bytes of a rendered template, whatever the data: what does not fit is shortened. */
export const MAX_RENDERED_BYTES = 256 * 1024

/** Functions read this many characters of a text. */
export const MAX_READ_CHARACTERS = 10_000

/** `join` reads this many items of a list. */
export const MAX_READ_ITEMS = 1_000

/** The names that a placeholder may have beside paths. */
export const NAMES = [
  ...(['event.id', 'event.type', 'event.occurredAt'] as const),
  ...(['webhook.id', 'delivery.id', 'delivery.url'] as const),
] as const

export type Name = (typeof NAMES)[number]

/** What a template is rendered with. */
export interface TemplateSource {
  readonly event: {
    readonly id: string
    readonly type: string
    readonly occurredAt: Date
    /** The exact JSON text that was published. */
    readonly data: string
    /** `data` before the change, or null if the publisher gave none. */
    readonly previous: string | null
  }
  /** Public ids. */
  readonly webhookId: string
  readonly deliveryId: string
  /** The page of the delivery. Null if Posthorn does not know its own address. */
  readonly deliveryUrl: string | null
}

/**
 * What a placeholder stands for: the JSON text of a value, a text, or the JSON texts that a path with `[*]` leads to. Null
 * for what is missing, and for JSON's `null`.
 */
export type Value =
  | null
  | { readonly json: string }
  | { readonly text: string }
  | { readonly items: readonly string[] }

/** One function of a placeholder, with its argument. Throws `OverBudget`. */
export type Apply = (value: Value, budget: WorkBudget) => Value

export interface Placeholder {
  /** A name, or the place of a path among those of `data` or `previous`. */
  readonly from:
    | { readonly name: Name }
    | { readonly of: 'data' | 'previous'; readonly path: number; readonly isList: boolean }
  readonly functions: readonly Apply[]
  /** Whether the placeholder stands inside a string. If not, it stands in place of a value. */
  readonly isText: boolean
  /** The JSON text up to the next placeholder, or the end. */
  readonly then: string
}

/** A template that was read. */
export interface Template {
  /** The JSON text up to the first placeholder. */
  readonly begin: string
  readonly placeholders: readonly Placeholder[]
  readonly data: PathSlicer
  readonly previous: PathSlicer
  /** The bytes that values may have. */
  readonly room: number
}
