interface AttemptsQuery {
  readonly since: string
  readonly until: string
  /** A class of response, such as `SERVER_ERROR_5XX`, or null for all attempts. */
  readonly response: string | null
  readonly webhookId?: string | undefined
}

/** The page with exactly the attempts of a part of a bar. */
export function attemptsPath({ since, until, response, webhookId }: AttemptsQuery): string {
  const params = new URLSearchParams({ since, until })
  if (response) params.set('response', response)
  if (webhookId) params.set('webhook', webhookId)
  return `/attempts?${params}`
}
