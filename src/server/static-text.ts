import { createHash } from 'node:crypto'
import type { Handler } from 'hono'

/** Serves a text that stays the same while the process runs. Behind `etag()`, a client that has it gets 304. */
export function staticText(text: string, contentType: string): Handler {
  const hash = createHash('sha256').update(text).digest('base64url')
  const headers = {
    'content-type': contentType,
    'cache-control': 'no-cache',
    'x-content-type-options': 'nosniff',
    etag: `"${hash}"`,
  }
  return (context) => context.body(text, 200, headers)
}
