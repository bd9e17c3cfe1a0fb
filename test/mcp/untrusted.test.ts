import { describe, expect, test } from 'vitest'
import { MAX_ANSWER_BYTES, toResult } from '../../src/mcp/answer.ts'

describe('an answer', () => {
  const edges = (text: string) =>
    Array.from({ length: 50 }, (_, i) => ({
      cursor: `c${i}`,
      node: { id: `msg_${i}`, url: text, subscriptions: [text] },
    }))

  test.each([
    ['text', 'a'.repeat(300_000)],
    ['control characters', '\u001b'.repeat(200_000)],
    ['tags', '\u{e0041}'.repeat(100_000)],
    ['nothing', ''],
  ])('has at most 20 KB with %s, and goes on where it ends', (_, text) => {
    const pageInfo = { hasNextPage: false, endCursor: 'c49' }
    const result = toResult({ webhooks: { totalCount: 50, edges: edges(text), pageInfo } })
    const bytes = Buffer.byteLength(JSON.stringify(result))
    expect(bytes).toBeLessThanOrEqual(MAX_ANSWER_BYTES)
    const { webhooks } = result.structuredContent as {
      webhooks: { items: unknown[]; nextCursor: string | null }
    }
    const { length } = webhooks.items
    expect(length).toBeGreaterThan(0)
    expect(webhooks.nextCursor).toBe(length < 50 ? `c${length - 1}` : null)
  })
})
