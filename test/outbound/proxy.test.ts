import * as https from 'node:https'
import { expect, test } from 'vitest'
import { openProxy } from './forward-proxy.ts'
import { openTcpReceiver, vacantPort } from './raw-receivers.ts'
import {
  assertAnswered,
  certificate,
  LOOPBACK,
  openReceiver,
  openSender,
  poll,
  post,
  TIMING,
} from './sending.ts'

test('deliveries go through the proxy to the checked address, and TLS still verifies the name', async () => {
  const proxy = await openProxy()
  const receiver = await openReceiver()
  const sender = openSender({ proxyUrl: proxy.url })
  for (const _ of [1, 2]) assertAnswered(await post(sender, receiver))
  expect(proxy.requests).toEqual([
    { authority: `127.0.0.1:${receiver.port}`, authorization: undefined },
  ])
  expect(receiver.requests[0]?.headers['host']).toBe(`receiver.test:${receiver.port}`)

  const url = `https://other.test:${receiver.port}/`
  expect(await post(sender, receiver, { url })).toMatchObject({ code: 'certificate_wrong_host' })
})

test('credentials in the proxy URL are only sent to the proxy', async () => {
  const proxy = await openProxy()
  const receiver = await openReceiver()
  const proxyUrl = proxy.url.replace('//', '//user:p%40ss@')
  assertAnswered(await post(openSender({ proxyUrl }), receiver))
  expect(proxy.requests[0]?.authorization).toBe(
    `Basic ${Buffer.from('user:p@ss').toString('base64')}`,
  )
  expect(Object.keys(receiver.requests[0]?.headers ?? {})).not.toContain('proxy-authorization')
})

test('the connection to the proxy can use TLS', async () => {
  const proxy = await openProxy(undefined, https.createServer(certificate))
  const receiver = await openReceiver()
  const sender = openSender({ proxyUrl: proxy.url })
  for (const _ of [1, 2]) assertAnswered(await post(sender, receiver))
  expect(proxy.requests).toHaveLength(1)
  expect(await post(openSender({ proxyUrl: proxy.url, caPem: [] }), receiver)).toMatchObject({
    code: 'proxy_failed',
  })
})

test('the proxy gets no requests for addresses that are not public', async () => {
  const proxy = await openProxy()
  const receiver = await openReceiver()
  const refused = { kind: 'failed', code: 'address_not_public' }
  const lookup = async () => [LOOPBACK, { address: '10.0.0.1', family: 4 }]
  const sender = openSender({ proxyUrl: proxy.url, lookup })
  expect(await post(sender, receiver)).toMatchObject(refused)
  expect(await post(sender, receiver, { url: 'https://10.0.0.1/' })).toMatchObject(refused)
  expect(proxy.requests).toEqual([])
})

test('the proxy is asked for an IPv4 address if there is one', async () => {
  const proxy = await openProxy()
  const receiver = await openReceiver()
  const lookup = async () => [{ address: '2606:4700:4700::1111', family: 6 }, LOOPBACK]
  assertAnswered(await post(openSender({ proxyUrl: proxy.url, lookup }), receiver))
  expect(proxy.requests).toMatchObject([{ authority: `127.0.0.1:${receiver.port}` }])
})

test.each([
  ...[502, 504].map((status) => [status, 'connection_failed', 'could not reach the receiver']),
  ...[302, 407, 500].map((status) => {
    return [status, 'proxy_failed', 'opened no connection']
  }),
])('a proxy that answers %i is the failure %s', async (status, code, what) => {
  const proxy = await openProxy(() => Number(status))
  const receiver = await openReceiver()
  expect(await post(openSender({ proxyUrl: proxy.url }), receiver)).toEqual({
    kind: 'failed',
    code,
    reason: `The egress proxy ${what}: it answered CONNECT with ${status}.`,
    ...TIMING,
  })
})

test.each([
  ['does not listen', vacantPort, 'ECONNREFUSED'],
  [
    'resets the connection',
    () => openTcpReceiver((socket) => socket.resetAndDestroy()),
    'ECONNRESET',
  ],
  ['closes the connection', () => openTcpReceiver((socket) => socket.end()), 'UND_ERR_SOCKET'],
  [
    'speaks no HTTP',
    () => openTcpReceiver((socket) => socket.once('data', () => socket.end('SSH-2.0\r\n'))),
    'HTTPParserError',
  ],
])('a proxy that %s is for the operator', async (_what, open, detail) => {
  const proxyUrl = `http://127.0.0.1:${(await open()).port}`
  expect(await post(openSender({ proxyUrl }), { port: 1_024 })).toEqual({
    kind: 'failed',
    code: 'proxy_failed',
    reason: `The egress proxy gave no valid answer to CONNECT (${detail}).`,
    ...TIMING,
  })
})

test('a proxy to which no connection can be made in time is not taken for a silent receiver', async () => {
  const { port } = await openTcpReceiver(() => {})
  const sender = openSender({ proxyUrl: `https://127.0.0.1:${port}` })
  expect(await post(sender, { port: 1_024 })).toMatchObject({
    code: 'proxy_failed',
    reason: 'The egress proxy gave no valid answer to CONNECT (UND_ERR_CONNECT_TIMEOUT).',
  })
})

test('a receiver behind the proxy that never completes TLS times out, and the tunnel is closed', async () => {
  const silent = await openTcpReceiver((socket) => socket.resume())
  const proxy = await openProxy()
  const sender = openSender({ proxyUrl: proxy.url, connectTimeoutMs: 200 })
  expect(await post(sender, silent)).toMatchObject({ kind: 'failed', code: 'connect_timed_out' })
  await poll(() => proxy.openConnections === 0)
})
