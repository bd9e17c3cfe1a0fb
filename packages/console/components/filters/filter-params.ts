import { t } from '../../language/t.ts'
import { RECENT_TIMES } from './recent-times.ts'

/** Several values in one query parameter: `state=RETRYING,EXHAUSTED`. No value of a filter contains a comma. */
export function readList(param: string | null): readonly string[] {
  return [...new Set(param?.split(',').filter((value) => value !== ''))]
}

/** Null for none, which removes the parameter. */
export function writeList(values: readonly string[]): string | null {
  return values.length > 0 ? values.join(',') : null
}

/** The values that are among the options, in the order of the address. */
export function readOptions<Option extends string>(
  param: string | null,
  options: readonly { readonly value: Option }[],
): Option[] {
  return readList(param).flatMap(
    (value) => options.find((option) => option.value === value)?.value ?? [],
  )
}

/** Options for a select, from their labels by value, which are translated when they are read. */
export function optionsOf<Value extends string>(labels: Readonly<Record<Value, string>>) {
  return Object.entries<string>(labels).map(([value, label]) => ({
    value: value as Value,
    get label() {
      return t(label)
    },
  }))
}

/** The query parameters of a search key. */
export const KEY_FILTERS = ['key', 'value'] as const

export type KeyValues = Readonly<Record<(typeof KEY_FILTERS)[number], string | null>>

/** The filter for the API. Null while the path or the value is missing. */
export function readKey({ key, value }: KeyValues): { path: string; equals: string } | null {
  return key && value ? { path: key, equals: value } : null
}

/** The query parameters of a time range. */
export const TIME_FILTERS = ['within', 'since', 'until'] as const

export type TimeValues = Readonly<Record<(typeof TIME_FILTERS)[number], string | null>>

export interface TimeBounds {
  readonly since?: string
  readonly until?: string
}

/** The range of fixed times in the query parameters. Null for a range that is relative to now. */
export function readTimeRange({ within, since, until }: TimeValues): TimeBounds | null {
  if (RECENT_TIMES.some(({ value }) => value === within)) return null
  return { ...(isTime(since) && { since }), ...(isTime(until) && { until }) }
}

function isTime(text: string | null): text is string {
  return text !== null && !Number.isNaN(Date.parse(text))
}
