import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { MAX_ANSWER_BYTES, toResult } from '../../src/mcp/answer.ts'
import { fence, visible } from '../../src/mcp/untrusted.ts'

test.each([
  ['an ANSI escape', '\u001b[31mred', '\\u{1b}[31mred'],
  ['a right-to-left override', 'a\u202eb', 'a\\u{202e}b'],
  ['a zero-width space', 'a\u200bb', 'a\\u{200b}b'],
  ['tags, which spell invisible text', '\u{e0041}', '\\u{e0041}'],
  ['a lone surrogate', 'a\ud800b', 'a\\u{d800}b'],
  ['NUL and a backspace', '\0\b', '\\u{0}\\u{8}'],
])('%s is made visible', (_, text, shown) => {
  expect(visible(text)).toBe(shown)
  const plain = 'Grüße, 東京 😀 שלום\n\ttab "quoted" \\ </fence>'
  expect(visible(plain)).toBe(plain)
})

describe('a fence', () => {
  test('no content can close it, and no two have the same boundary', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const lines = fence(value).split('\n')
        expect(lines).toHaveLength(4)
        expect(JSON.parse(lines[2] ?? '')).toEqual(JSON.parse(JSON.stringify(value)))
      }),
    )
    expect(fence('a')).not.toBe(fence('a'))
  })
})

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

  test('has text of partners in its fence only', () => {
    const result = toResult({ webhook: { id: 'wh_1', url: 'https://hostile.example', uid: null } })
    const [trusted, fenced] = (result.content[0] as { text: string }).text.split('\n\n')
    expect(trusted).toBe('{"webhook":{"id":"wh_1","untrusted":"u1"}}')
    expect(fenced).toContain('{"u1":{"url":"https://hostile.example"}}')
    expect(result.structuredContent).toEqual({
      webhook: { id: 'wh_1', untrusted: { url: 'https://hostile.example' } },
    })
  })
})
