/** An event type, as a preset reads it. */
export interface PresetSource {
  readonly name: string
  /** The JSON Schema of `data`, and an example of it. Null: none. */
  readonly schema: unknown
  readonly example: unknown
  /** Whether `delivery.url` has a value: Posthorn knows its public address. */
  readonly hasLinks: boolean
}

/** Where messages of a kind go. */
export interface Preset {
  readonly target: TemplateTarget
  readonly name: string
  /** How the URLs of the target look. */
  readonly urlHint: string
  /** The text of a template for events of a type. */
  readonly template: (source: PresetSource) => string
}

export const TEMPLATE_TARGETS = [
  ...(['slack', 'microsoft_teams', 'discord', 'google_chat', 'pagerduty'] as const),
] as const

export type TemplateTarget = (typeof TEMPLATE_TARGETS)[number]
