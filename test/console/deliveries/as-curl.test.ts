import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { asCurl } from '../../../src/console/deliveries/as-curl.ts'

/** What a shell makes of the command: the words that curl is given. */
function wordsOf(command: string): string[] {
  const script = `curl() { printf '%s\\0' "$@"; }\n${command}`
  return execFileSync('/bin/sh', ['-c', script], { encoding: 'utf8' }).split('\0').slice(0, -1)
}

const request = {
  method: 'POST',
  url: "https://example.com/a'b?x=$(id)&y=[1]",
  headers: [
    { name: 'content-type', value: 'application/json' },
    { name: 'x-empty', value: '' },
    { name: 'x-api-key', value: '•••' },
  ],
  body: `{"text":"it's \`id\` $HOME !! \\\\ \n ünïcode"}`,
}

test('a shell gives curl the address, the headers and the body to the letter', () => {
  const words = wordsOf(asCurl(request).command)
  expect(words).toContain(request.url)
  expect(words).toContain('content-type: application/json')
  expect(words.at(-1)).toBe(request.body)
})

test('whatever is in a body, a shell runs none of it', () => {
  const text = fc.string({ unit: 'grapheme' }).filter((body) => !body.includes('\0'))
  fc.assert(
    fc.property(text, (body) => {
      expect(wordsOf(asCurl({ ...request, body }).command).at(-1)).toBe(body)
    }),
    { numRuns: 60 },
  )
})

test('an empty header is sent, as curl would leave it out after a colon', () => {
  expect(wordsOf(asCurl(request).command)).toContain('x-empty;')
})

test('a masked header becomes a place to fill in, and is explained', () => {
  const { command, notes } = asCurl(request)
  expect(wordsOf(command)).toContain('x-api-key: YOUR_X_API_KEY')
  expect(command).not.toContain('•')
  expect(notes.join(' ')).toContain('YOUR_X_API_KEY')
  expect(asCurl({ ...request, headers: [] }).notes.join(' ')).not.toContain('YOUR_')
})

test('without a body it says so, and sends none', () => {
  const { command, notes } = asCurl({ ...request, body: null })
  expect(command).not.toContain('--data')
  expect(notes.join(' ')).toContain('left out')
})
