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

type AttemptParam = (typeof NAMES)[keyof typeof NAMES]

/** The list of the deliveries of the attempts that match, where they can be redelivered. */
export function deliveriesPath(values: Readonly<Record<AttemptParam, string | null>>): string {
  const params = new URLSearchParams()
  for (const [name, of] of Object.entries(NAMES)) {
    const value = values[of]
    if (value !== null) params.set(name, value)
  }
  return params.size > 0 ? `/deliveries?${params}` : '/deliveries'
}
