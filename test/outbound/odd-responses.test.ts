import { describe, expect, test } from 'vitest'
import { assertAnswered, openReceiver, openSender, post } from './sending.ts'

const HEAD = 'HTTP/1.1 200 OK\r\n'
const LENGTH = 'content-length: 2\r\n\r\nok'

/** Each is a failure, although other clients accept most of them: undici's parser decides. */
describe('the reason says what is malformed in', () => {
  test.each([
    ['a folded header', `${HEAD}x-long: a\r\n  b\r\n${LENGTH}`],
    ['a space in the name of a header', `${HEAD}X Powered By: cgi\r\n${LENGTH}`],
    ['a length that is no number', `${HEAD}content-length: two\r\n\r\nok`],
    ['chunks and a length', `${HEAD}transfer-encoding: chunked\r\n${LENGTH}`],
    ['text before the head', `<b>Warning</b>\n${HEAD}${LENGTH}`],
    ['another protocol', '220 mail.example.com ESMTP\r\n'],
  ])('%s', async (_what, text) => {
    expect(await reasonFor(text)).toMatch(
      /^The response was not valid HTTP\/1\.1\. The parser reports: ".{10,}"\.$/,
    )
  })
})

test.each([
  ['two lengths', `${HEAD}content-length: 3\r\n${LENGTH}`],
  ['a length and chunks', `${HEAD}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n`],
  ['LF after the length', `${HEAD}content-length: 2\nx-a: 1\r\n\r\nok`],
  ['100 Continue', `HTTP/1.1 100 Continue\r\n\r\n${HEAD}${LENGTH}`],
  ['an upgrade', 'HTTP/1.1 101 x\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'],
])('a response with %s is not valid', async (_what, text) => {
  expect(await reasonFor(text)).toBe('The response was not valid HTTP/1.1.')
})

test.each([
  ['no reason phrase', `HTTP/1.1 200\r\n${LENGTH}`],
  ['blank lines before it', `\r\n\r\n${HEAD}${LENGTH}`],
])('a response with %s succeeds', async (_what, text) => {
  const receiver = await openReceiver((socket) => socket.write(text))
  expect(await post(openSender(), receiver)).toMatchObject({ kind: 'answered', status: 200 })
})

test('header values in UTF-8 are read as such, and others as Latin-1', async () => {
  const receiver = await openReceiver((socket) => {
    socket.write(`${HEAD}x-utf8: grün 東京\r\n`)
    socket.write(`x-latin1: grün\r\n`, 'latin1')
    socket.write(LENGTH)
  })
  const outcome = await post(openSender(), receiver)
  assertAnswered(outcome)
  expect(outcome.headers).toMatchObject({ 'x-utf8': 'grün 東京', 'x-latin1': 'grün' })
})

async function reasonFor(text: string): Promise<string> {
  const receiver = await openReceiver((socket) => socket.write(text, 'latin1'))
  const outcome = await post(openSender(), receiver)
  expect(outcome).toMatchObject({ kind: 'failed', code: 'invalid_http' })
  return outcome.kind === 'failed' ? outcome.reason : ''
}
