const MAX_PER_SECOND = 10_000

/** The rate limit of a webhook, and what cannot be taken over of it. */
export function rateLimitOf(perSecond: number | null | undefined): {
  readonly rateLimitPerSecond: number | null
  readonly lacks: readonly string[]
} {
  if (perSecond == null) return { rateLimitPerSecond: null, lacks: [] }
  if (Number.isInteger(perSecond) && perSecond >= 1 && perSecond <= MAX_PER_SECOND) {
    return { rateLimitPerSecond: perSecond, lacks: [] }
  }
  const lack = `The rate limit of ${perSecond} per second is not from 1 to 10,000, so the webhook has none.`
  return { rateLimitPerSecond: null, lacks: [lack] }
}
