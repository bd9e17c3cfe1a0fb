import { createHash } from 'node:crypto'
import type { Handler } from 'hono'

/**
 * Serves a text that stays the same while the process runs, and is made for the first request. Behind `etag()`, a client
 * that has it gets 304.
 */
export function staticText(make: () => string, contentType: string): Handler {
  let made: { text: string; headers: Record<string, string> } | null = null
  return (context) => {
    made ??= withHeaders(make(), contentType)
    return context.body(made.text, 200, made.headers)
  }
}

function withHeaders(text: string, contentType: string) {
  const hash = createHash('sha256').update(text).digest('base64url')
  return {
    text,
    headers: {
      'content-type': contentType,
      'cache-control': 'no-cache',
      'x-content-type-options': 'nosniff',
      etag: `"${hash}"`,
    },
  }
}
