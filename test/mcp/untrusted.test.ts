import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { MAX_ANSWER_BYTES, toResult } from '../../src/mcp/answer.ts'
import { fence, UNTRUSTED_NOTE, visible } from '../../src/mcp/untrusted.ts'

test.each([
  ['an ANSI escape', '\u001b[31mred', '\\u{1b}[31mred'],
  ['a right-to-left override', 'a\u202eb', 'a\\u{202e}b'],
  ['an isolate', '\u2066x\u2069', '\\u{2066}x\\u{2069}'],
  ['a zero-width space', 'a\u200bb', 'a\\u{200b}b'],
  ['a soft hyphen', 'a\u00adb', 'a\\u{ad}b'],
  ['tags, which spell invisible text', '\u{e0041}', '\\u{e0041}'],
  ['a variation selector', 'a\ufe0f\u{e0100}', 'a\\u{fe0f}\\u{e0100}'],
  ['a lone surrogate', 'a\ud800b', 'a\\u{d800}b'],
  ['a line separator', 'a\u2028b', 'a\\u{2028}b'],
  ['NUL and a backspace', '\0\b', '\\u{0}\\u{8}'],
  ['a filler that is a letter', '\u3164', '\\u{3164}'],
])('%s is made visible', (_, text, shown) => {
  expect(visible(text)).toBe(shown)
})

test('other text stays, line breaks and other scripts too', () => {
  const text = 'Grüße, 東京 😀 שלום\n\ttab "quoted" \\ </fence>'
  expect(visible(text)).toBe(text)
})

describe('a fence', () => {
  test('has one sentence before it, one line of JSON in it, and its boundary around it', () => {
    const [note, opening = '', content, closing] = fence({ a: 'b\nc' }).split('\n')
    expect(note).toBe(UNTRUSTED_NOTE)
    expect(opening).toMatch(/^<untrusted-[0-9a-f]{24}>$/)
    expect(content).toBe('{"a":"b\\nc"}')
    expect(closing).toBe(opening.replace('<', '</'))
  })

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
    ['quotes', '"\\'.repeat(100_000)],
    ['control characters', '\u001b'.repeat(200_000)],
    ['tags', '\u{e0041}'.repeat(100_000)],
    ['emoji', '😀'.repeat(100_000)],
    ['lone surrogates', '\ud800'.repeat(200_000)],
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
