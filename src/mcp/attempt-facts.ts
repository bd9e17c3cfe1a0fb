import { z } from 'zod'
import { wordsFor } from './failure-words.ts'
import { nullableText, untrusted } from './fields.ts'
import type { McpAttemptFragment } from './generated/graphql.ts'

/** What the tools tell of an attempt. */
export const ATTEMPT = z.object({
  attempt_id: z.string(),
  number: z.number().int(),
  started_at: z.string(),
  duration_ms: z.number(),
  succeeded: z.boolean(),
  status: z.number().int().nullable(),
  cause: nullableText.describe('The HTTP status or the error code. Null: the attempt succeeded.'),
  means: nullableText,
  check: nullableText,
  response_body_truncated: z.boolean(),
  untrusted: untrusted.describe('error, response_headers, response_body.'),
})

export function attemptFacts(attempt: McpAttemptFragment): z.input<typeof ATTEMPT> {
  const { id, number, startedAt, durationMs, succeeded, status, cause, error, response } = attempt
  const words = cause === null ? null : wordsFor(cause)
  return {
    attempt_id: id,
    number,
    started_at: startedAt,
    duration_ms: durationMs,
    succeeded,
    status,
    cause,
    means: words?.means ?? null,
    check: words?.check ?? null,
    response_body_truncated: response?.bodyTruncated ?? false,
    untrusted: {
      error,
      response_headers: response?.headers
        .slice(0, 15)
        .map(({ name, value }) => `${name}: ${value}`),
      response_body: response?.body ?? null,
      ...(response?.bodyEncoding === 'BASE64' && { response_body_encoding: 'base64' }),
    },
  }
}
