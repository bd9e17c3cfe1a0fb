interface AttemptsQuery {
  readonly since: string
  readonly until: string
  /** Filters of the page of attempts, such as `{ response: 'SERVER_ERROR_5XX' }`. */
  readonly filters: Readonly<Record<string, string>>
  readonly webhookId?: string | undefined
}

/** The page with exactly the attempts of a part of a bar. */
export function attemptsPath({ since, until, filters, webhookId }: AttemptsQuery): string {
  const params = new URLSearchParams({ ...filters, since, until })
  if (webhookId) params.set('webhook', webhookId)
  return `/attempts?${params}`
}
