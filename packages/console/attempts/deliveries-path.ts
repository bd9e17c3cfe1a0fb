import { changedParams } from '../lib/changed-params.ts'

/** The query parameters that mean the same on the page of attempts and on that of deliveries. */
const SHARED = ['webhook', 'status', 'cause', 'duration', 'within', 'since', 'until'] as const

type Values = Readonly<Record<(typeof SHARED)[number], string | null>>

/** The list of the deliveries of the attempts that match, where they can be redelivered. */
export const deliveriesPath = (values: Values): string => `/deliveries?${sharedOf(values)}`

/** The list of the attempts of the deliveries that match, which has no limit. */
export const attemptsPath = (values: Values): string => `/attempts?${sharedOf(values)}`

function sharedOf(values: Values): URLSearchParams {
  const params = SHARED.map((name) => [name, values[name]])
  return changedParams(new URLSearchParams(), Object.fromEntries(params))
}
