import type * as net from 'node:net'
import { expect, test } from 'vitest'
import { openTlsReceiver } from './raw-receivers.ts'
import {
  assertAnswered,
  certificate,
  openReceiver,
  openSender,
  poll,
  post,
  TIMING,
} from './sending.ts'
import { OK } from './tls-receiver.ts'

test('a request arrives as a POST with its path, headers and exact body, but with the user-agent and the accept-encoding of the sender', async () => {
  const receiver = await openReceiver()
  const outcome = await post(openSender(), receiver, {
    url: `https://receiver.test:${receiver.port}/hooks/a%20b?tenant=%C3%A9&x`,
    headers: {
      ...{ 'content-type': 'application/json', 'wh-id': 'msg_1', 'X-Custom': 'yes' },
      ...{ 'User-Agent': 'curl', 'Accept-Encoding': 'gzip', accept: '*/*' },
    },
    body: Buffer.from('{"name":"Zoë"}'),
  })
  assertAnswered(outcome)
  expect(receiver.requests).toEqual([
    {
      requestLine: 'POST /hooks/a%20b?tenant=%C3%A9&x HTTP/1.1',
      headers: {
        host: `receiver.test:${receiver.port}`,
        connection: 'keep-alive',
        'user-agent': 'Posthorn/test',
        'accept-encoding': 'identity',
        accept: '*/*',
        'content-type': 'application/json',
        'content-length': '15',
        'wh-id': 'msg_1',
        'x-custom': 'yes',
      },
      body: Buffer.from('{"name":"Zoë"}').toString('latin1'),
      connection: 1,
    },
  ])
})

test('a response is returned with its status, headers, body and times', async () => {
  const receiver = await openReceiver((socket) => {
    socket.write(
      'HTTP/1.1 202 Accepted\r\nX-Trace: a\r\nx-trace: b\r\nretry-after: 120\r\ncontent-length: 5\r\n\r\nhello',
    )
  })
  expect(await post(openSender(), receiver)).toEqual({
    kind: 'answered',
    status: 202,
    headers: { 'x-trace': 'a, b', 'retry-after': '120', 'content-length': '5' },
    body: Buffer.from('hello'),
    bodyTruncated: false,
    firstByteMs: expect.any(Number),
    ...TIMING,
    retryAfter: '120',
  })
})

test.each([
  ['200 OK', 'content-length: 0\r\n\r\n'],
  ['204 No Content', '\r\n'],
  ['404 Not Found', 'transfer-encoding: chunked\r\n\r\n0\r\n\r\n'],
  ['503 Service Unavailable', 'content-length: 0\r\nconnection: close\r\n\r\n'],
  ['599 Unknown', 'content-length: 0\r\n\r\n'],
])('%s is a response', async (statusLine, rest) => {
  const receiver = await openReceiver((socket) => {
    socket.write(`HTTP/1.1 ${statusLine}\r\n${rest}`)
  })
  const outcome = await post(openSender(), receiver)
  assertAnswered(outcome)
  expect(outcome.status).toBe(Number.parseInt(statusLine, 10))
  expect(outcome.body).toHaveLength(0)
  expect(outcome.bodyTruncated).toBe(false)
  expect(outcome.retryAfter).toBeNull()
})

test('a receiver that never reads the request times out, and its connection is closed', async () => {
  const sockets: net.Socket[] = []
  const receiver = await openTlsReceiver(certificate, (socket) => sockets.push(socket.pause()))()
  const sender = openSender({ acknowledgeTimeoutMs: 200 })
  const outcome = await post(sender, receiver, { body: Buffer.alloc(20 * 1024 * 1024) })
  expect(outcome).toMatchObject({ kind: 'failed', code: 'response_timed_out' })
  // The receiver only notices the end when it reads.
  for (const socket of sockets) socket.resume()
  await poll(() => sockets.length === 1 && sockets.every((socket) => socket.destroyed))
})

test.each([16_384, 65_536])(
  'a response of %i bytes is read in full, and its first 16 KiB are kept',
  async (length) => {
    const receiver = await openReceiver((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${length}\r\n\r\n`)
      socket.write('x'.repeat(length))
    })
    const sender = openSender()
    for (const _ of [1, 2]) {
      const outcome = await post(sender, receiver)
      assertAnswered(outcome)
      expect(outcome.body).toHaveLength(16_384)
      expect(outcome.bodyTruncated).toBe(length > 16_384)
    }
    expect(receiver.connections).toBe(1)
  },
)

const INVALID_VALUE = 'The value of the header "x-bad" contains an invalid character.'

test.each([
  ['a line break in a value', { 'x-bad': 'a\r\nb: c' }, INVALID_VALUE],
  ['a letter beyond Latin-1 in a value', { 'x-bad': 'Ж' }, INVALID_VALUE],
  ...['', 'x\r\nbad', 'é'].map((name): [string, object, string] => [
    `the name ${JSON.stringify(name)}`,
    { [name]: 'a' },
    `The header name ${JSON.stringify(name)} is not a valid HTTP token.`,
  ]),
  ...['Host', 'Content-Length', 'transfer-encoding', 'te'].map((name): [string, object, string] => [
    `the name ${name}, which the connection sets`,
    { [name]: '1' },
    `The header "${name}" is set by the connection; remove it.`,
  ]),
])('sending an invalid request rejects: a header with %s', async (_what, headers, message) => {
  const receiver = await openReceiver()
  const sender = openSender()
  const invalid = post(sender, receiver, { headers: headers as Record<string, string> })
  await expect(invalid).rejects.toThrow(message)
  expect(receiver.requests).toEqual([])
  assertAnswered(await post(sender, receiver))
})

test('aborting a signal ends all requests that wait for a response, and closes their connections', async () => {
  const receiver = await openReceiver(() => {})
  const sender = openSender()
  const shutdown = new AbortController()
  const sending = [1, 2, 3, 4].map(() => post(sender, receiver, { signal: shutdown.signal }))
  await poll(() => receiver.requests.length === 4)
  shutdown.abort()
  const aborted = { kind: 'aborted' }
  expect(await Promise.all(sending)).toEqual([aborted, aborted, aborted, aborted])
  await poll(() => receiver.openConnections === 0)
})

test('closing waits for requests in flight, aborts new ones, and closes all connections', async () => {
  const receiver = await openReceiver((socket) => setTimeout(() => socket.write(OK), 50))
  const sender = openSender()
  const sending = post(sender, receiver)
  await poll(() => receiver.requests.length === 1)
  const closing = sender.close()
  expect(await post(sender, receiver)).toEqual({ kind: 'aborted' })
  await closing
  expect(await sending).toMatchObject({ kind: 'answered' })
  await poll(() => receiver.openConnections === 0)
  await sender.close()
})

test('a response that arrives while the request is still being sent is valid, and the next request gets its own', async () => {
  const receiver = await openReceiver()
  const early = await openTlsReceiver(certificate, (socket) => {
    socket.pause()
    socket.write('HTTP/1.1 413 Content Too Large\r\nconnection: close\r\ncontent-length: 0\r\n\r\n')
  })()
  const sender = openSender()
  const body = Buffer.alloc(8 * 1024 * 1024)
  expect(await post(sender, early, { body })).toMatchObject({ kind: 'answered', status: 413 })
  expect(await post(sender, early)).toMatchObject({ kind: 'answered', status: 413 })
  assertAnswered(await post(sender, receiver))
})
