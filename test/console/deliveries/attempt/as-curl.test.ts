import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { asCurl } from '../../../../packages/console/deliveries/attempt/as-curl.ts'

/** The arguments that a shell passes to curl. */
function argumentsOf(command: string): string[] {
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

test('a shell passes curl the exact URL, headers and body', () => {
  const args = argumentsOf(asCurl(request).command)
  expect(args).toContain(request.url)
  expect(args).toContain('content-type: application/json')
  expect(args.at(-1)).toBe(request.body)
})

test('a shell runs no part of any body', () => {
  const text = fc.string({ unit: 'grapheme' }).filter((body) => !body.includes('\0'))
  fc.assert(
    fc.property(text, (body) => {
      expect(argumentsOf(asCurl({ ...request, body }).command).at(-1)).toBe(body)
    }),
    { numRuns: 60 },
  )
})

test('an empty header is sent', () => {
  expect(argumentsOf(asCurl(request).command)).toContain('x-empty;')
})

test('a masked header becomes a placeholder, with a note', () => {
  const { command, notes } = asCurl(request)
  expect(argumentsOf(command)).toContain('x-api-key: YOUR_X_API_KEY')
  expect(command).not.toContain('•')
  expect(notes.join(' ')).toContain('YOUR_X_API_KEY')
  expect(asCurl({ ...request, headers: [] }).notes.join(' ')).not.toContain('YOUR_')
})

test('a missing body is left out, with a note', () => {
  const { command, notes } = asCurl({ ...request, body: null })
  expect(command).not.toContain('--data')
  expect(notes.join(' ')).toContain('The command has no body')
})
