/**
 * The body that answers the challenge of an endpoint verification (`verifyEndpoint`), or null for every other body. The
 * adapters answer challenges by themselves.
 *
 * @param event The parsed body of a verified delivery.
 *
 * @example
 * ```ts
 * const answer = challengeAnswer(delivery.event)
 * if (answer) return Response.json(answer)
 * ```
 */
export function challengeAnswer(event: unknown): { readonly challenge: string } | null {
  const { type, challenge } = Object(event)
  return type === 'verification' && typeof challenge === 'string' ? { challenge } : null
}
