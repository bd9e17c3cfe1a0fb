import { DomainError, type FieldIssue } from '../lib/errors.ts'
import { hasLoneSurrogate, rejectLoneSurrogates } from '../lib/lone-surrogates.ts'
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
  if (data !== null) {
    const detail = 'data and dataText are both given. Send one of them.'
    return { issues: [{ path: ['dataText'], code: 'ambiguous', detail }] }
  }
  return readText(dataText)
}

function readText(dataText: string): ReadData {
  try {
    const data = parseJson(dataText)
    if (hasLoneSurrogate(dataText)) rejectLoneSurrogates({ data })
    return { data, dataText: dataText.trim() }
  } catch (error) {
    if (error instanceof DomainError) return { issues: error.issues }
    const problem = error instanceof InvalidJson ? error.message : 'is not JSON.'
    return { issues: [{ path: ['dataText'], code: 'malformed', detail: `dataText ${problem}` }] }
  }
}
