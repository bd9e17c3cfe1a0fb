import type { Context } from 'hono'

/** Answers with a text that a cache asks for again. Behind `etag()`, a client that has it gets 304. */
export function answerText(
  context: Context,
  text: string | Uint8Array<ArrayBuffer>,
  contentType: string,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return context.body(text, 200, {
    ...headers,
    'content-type': contentType,
    'cache-control': 'no-cache',
    'x-content-type-options': 'nosniff',
  })
}
