import { createHash } from 'node:crypto'
import type { Context, Handler } from 'hono'

/** A text with the headers of its response. */
export interface ServedText {
  readonly text: string
  readonly headers: Readonly<Record<string, string>>
}

/**
 * Serves a text that stays the same while the process runs, and is made for the first request. Behind `etag()`, a client
 * that has it gets 304.
 */
export function staticText(make: () => string, contentType: string): Handler {
  let made: ServedText | null = null
  return (context) => {
    made ??= servedText(make(), contentType)
    return answerText(context, made)
  }
}

export function servedText(
  text: string,
  contentType: string,
  headers: Readonly<Record<string, string>> = {},
): ServedText {
  const hash = createHash('sha256').update(text).digest('base64url')
  return {
    text,
    headers: {
      ...headers,
      'content-type': contentType,
      'cache-control': 'no-cache',
      'x-content-type-options': 'nosniff',
      etag: `"${hash}"`,
    },
  }
}

/** Of a text that changes, as it is now. */
export function answerText(context: Context, { text, headers }: ServedText): Response {
  return context.body(text, 200, headers)
}
