import { changedParams } from '../lib/changed-params.ts'

/** Query parameters of the list of attempts, by those of the list of deliveries. */
const NAMES = {
  webhook: 'webhook',
  status: 'response',
  cause: 'cause',
  duration: 'duration',
  attempted: 'within',
  attemptedSince: 'since',
  attemptedUntil: 'until',
} as const

type DeliveryParam = keyof typeof NAMES
type Values<Name extends string> = Readonly<Record<Name, string | null>>

/** The list of the deliveries of the attempts that match, where they can be redelivered. */
export function deliveriesPath(values: Values<(typeof NAMES)[DeliveryParam]>): string {
  return pathOf('/deliveries', (name) => [name, values[NAMES[name]]])
}

/** The list of the attempts of the deliveries that match, which has no limit. */
export function attemptsPath(values: Values<DeliveryParam>): string {
  return pathOf('/attempts', (name) => [NAMES[name], values[name]])
}

function pathOf(path: string, paramOf: (name: DeliveryParam) => [string, string | null]): string {
  const params = (Object.keys(NAMES) as DeliveryParam[]).map(paramOf)
  return `${path}?${changedParams(new URLSearchParams(), Object.fromEntries(params))}`
}
