import type { EventTypesFieldsFragment } from '../../generated/graphql.ts'

/** The texts of the form. */
export interface EventTypeDraft {
  readonly name: string
  readonly description: string
  readonly schema: string
  readonly example: string
  /** One path a line. */
  readonly searchKeys: string
  /** A number of days. Empty: as long as the organization keeps others. */
  readonly retentionDays: string
}

export interface EventTypeFields {
  readonly name: string
  readonly description: string
  readonly schema: unknown
  readonly example: unknown
  readonly searchKeys: string[]
  readonly retentionDays: number | null
}

export function draftOf(eventType: EventTypesFieldsFragment): EventTypeDraft {
  return {
    name: eventType.name,
    description: eventType.description,
    schema: jsonText(eventType.schema),
    example: jsonText(eventType.example),
    searchKeys: eventType.searchKeys.join('\n'),
    retentionDays: String(eventType.retentionDays ?? ''),
  }
}

function jsonText(value: unknown): string {
  return value === null || value === undefined ? '' : JSON.stringify(value, null, 2)
}
