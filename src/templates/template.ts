import type { Template as LiquidTemplate } from 'liquidjs'

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

/** A string of the JSON with Liquid in it. */
export interface LiquidString {
  readonly liquid: LiquidTemplate[]
  readonly length: number
  /** Whether the string is exactly one output that ends in the filter `json`: the value itself takes its place. */
  readonly isValue: boolean
}

/** A template that was read: JSON text, and the strings in between that are rendered. */
export type Template = readonly (string | LiquidString)[]
