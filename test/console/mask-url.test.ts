import { expect, test } from 'vitest'
import { maskUrl } from '../../packages/console/lib/mask-url.ts'

test.each([
  ['https://example.com/hook', 'https://example.com/hook'],
  ['https://example.com/hook?token=whk_live_1', 'https://example.com/hook?token=•••'],
  ['https://example.com/?tenant=7&api_key=a%20b&x', 'https://example.com/?tenant=7&api_key=•••&x'],
  ['https://example.com/?Signature=a=b==#part', 'https://example.com/?Signature=•••#part'],
  [`https://example.com/?k=${'a'.repeat(20)}`, 'https://example.com/?k=•••'],
  ['https://example.com/?tenant=7', 'https://example.com/?tenant=7'],
  ['https://example.com/?token=', 'https://example.com/?token='],
  ['no url', 'no url'],
])('%s is shown as %s', (url, shown) => {
  expect(maskUrl(url)).toBe(shown)
})
