/** How the test receiver responds. */
export type ResponseKind = 'accept' | 'fail' | 'gone' | 'time-out'

export interface ResponseBehavior {
  readonly kind: ResponseKind
  /** How many more requests get this response before the receiver accepts again. Null: until it is changed. */
  readonly remaining: number | null
}

export const ACCEPTING: ResponseBehavior = { kind: 'accept', remaining: null }
export const MAX_TIMES = 1_000

export interface PlannedResponse {
  readonly status: number
  readonly text: string
}

/** The response to a request, or null for none. */
export function responseOf(kind: ResponseKind): PlannedResponse | null {
  return RESPONSES[kind]
}

const RESPONSES: Record<ResponseKind, PlannedResponse | null> = {
  accept: { status: 200, text: 'Accepted.' },
  fail: { status: 500, text: 'Failing on purpose, as the test receiver is told to.' },
  gone: { status: 410, text: 'Gone on purpose, as the test receiver is told to.' },
  'time-out': null,
}

/** The behavior after one more request. */
export function afterRequest({ kind, remaining }: ResponseBehavior): ResponseBehavior {
  if (remaining === null) return { kind, remaining }
  return remaining > 1 ? { kind, remaining: remaining - 1 } : ACCEPTING
}
