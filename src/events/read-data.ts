import type { FieldIssue } from '../lib/errors.ts'
import { InvalidJson, parseJson } from '../lib/parse-json.ts'

/** The data of an event to publish: a JSON value, or the text of one, which is kept to the letter. */
interface GivenData {
  readonly data?: unknown
  readonly dataText?: string | null | undefined
}

export type ReadData =
  | { readonly data: unknown; readonly dataText?: string }
  /** The paths are relative to the event. */
  | { readonly issues: readonly FieldIssue[] }

export function readData({ data = null, dataText = null }: GivenData): ReadData {
  if (dataText === null) {
    if (data !== null) return { data }
    const detail = 'data is required. Send any JSON value, or the text of one as dataText.'
    return { issues: [{ path: ['data'], code: 'required', detail }] }
  }
  if (data !== null) return { issues: [bothGiven('data')] }
  const read = readText(dataText, 'data')
  return 'issues' in read ? read : { data: read.value, dataText: read.text }
}

/** The data before the change that an event reports, in the same forms. */
interface GivenPrevious {
  readonly previous?: unknown
  readonly previousText?: string | null | undefined
}

export type ReadPrevious =
  | { readonly previous?: unknown; readonly previousText?: string }
  | { readonly issues: readonly FieldIssue[] }

/** Null, also as a text, is no previous data. */
export function readPrevious({
  previous = null,
  previousText = null,
}: GivenPrevious): ReadPrevious {
  if (previousText === null) return previous === null ? {} : { previous }
  if (previous !== null) return { issues: [bothGiven('previous')] }
  const read = readText(previousText, 'previous')
  if ('issues' in read) return read
  return read.value === null ? {} : { previous: read.value, previousText: read.text }
}

function bothGiven(field: 'data' | 'previous'): FieldIssue {
  const detail = `${field} and ${field}Text are both given. Send one of them.`
  return { path: [`${field}Text`], code: 'ambiguous', detail }
}

function readText(
  text: string,
  field: 'data' | 'previous',
): { readonly value: unknown; readonly text: string } | { readonly issues: readonly FieldIssue[] } {
  try {
    return { value: parseJson(text), text: text.trim() }
  } catch (error) {
    const name = `${field}Text`
    const problem = error instanceof InvalidJson ? error.message : 'is not JSON.'
    return { issues: [{ path: [name], code: 'malformed', detail: `${name} ${problem}` }] }
  }
}
