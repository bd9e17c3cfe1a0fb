import type { LookupAddress } from 'node:dns'
import { expect, onTestFinished, test } from 'vitest'
import { createAddressGuard } from '../../src/outbound/public-address.ts'
import { assertAnswered, LOOPBACK, openReceiver, openSender, post, TIMING } from './sending.ts'

const refused = { kind: 'refused', reason: 'address-not-public', ...TIMING }

function at(...addresses: string[]): LookupAddress[] {
  return addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
}

test.each([
  ['to a private address', ['10.0.0.1']],
  ['to the metadata service of a cloud', ['169.254.169.254']],
  ['to a private IPv6 address', ['fd00::1']],
  ['to a private address behind NAT64', ['64:ff9b::a00:1']],
  ['to an IPv4-mapped private address', ['::ffff:10.0.0.1']],
  ['to a public and a private address', ['127.0.0.1', '10.0.0.1']],
  ['to a private and a public address', ['10.0.0.1', '127.0.0.1']],
])(
  'a name that resolves %s is refused, without a connection and without revealing the address',
  async (_where, ips) => {
    const receiver = await openReceiver()
    const sender = openSender({ lookup: async () => at(...ips) })
    expect(await post(sender, receiver)).toEqual(refused)
    expect(receiver.connections).toBe(0)
  },
)

test('loopback is refused by name and by address unless it is allowed', async () => {
  const receiver = await openReceiver()
  const sender = openSender({ guard: createAddressGuard([]) })
  expect(await post(sender, receiver)).toEqual(refused)
  for (const host of ['127.0.0.1', '2130706433', '[::ffff:127.0.0.1]', '[::1]', 'localhost']) {
    const url = `https://${host}:${receiver.port}/`
    expect(await post(sender, receiver, { url })).toEqual(refused)
  }
  expect(receiver.connections).toBe(0)
})

test.each([
  ['not-https', 'http://receiver.test/'],
  ['url-not-allowed', 'https://receiver.test:22/'],
  ['url-not-allowed', 'https://user:password@receiver.test/'],
  ['url-not-allowed', 'nonsense'],
])('%s: %s is refused by the same rules as for creating a webhook', async (reason, url) => {
  const outcome = await post(openSender(), { port: 0 }, { url })
  expect(outcome).toEqual({ kind: 'refused', reason, ...TIMING, durationMs: 0 })
})

test('the sender connects to the checked address: a connection looks its name up only once', async () => {
  const receiver = await openReceiver()
  const answers = [at('127.0.0.1'), at('10.0.0.1')]
  let lookups = 0
  const lookup = async () => answers[lookups++] ?? []
  assertAnswered(await post(openSender({ lookup }), receiver))
  expect(lookups).toBe(1)
})

test('a name that changes to a private address is refused at the next connection', async () => {
  const receiver = await openReceiver((socket) => {
    socket.end('HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 0\r\n\r\n')
  })
  let answer = at('127.0.0.1')
  const sender = openSender({ lookup: async () => answer })
  assertAnswered(await post(sender, receiver))
  answer = at('192.168.1.1')
  expect(await post(sender, receiver)).toEqual(refused)
  expect(receiver.connections).toBe(1)
})

test('a name with several permitted addresses is reached at the one that answers', async () => {
  const receiver = await openReceiver()
  const sender = openSender({ lookup: async () => at('127.0.0.2', '127.0.0.3', '127.0.0.1') })
  assertAnswered(await post(sender, receiver))
})

test.each([
  ['ENOTFOUND', 'name_not_found', 'The host name does not exist.'],
  ['EAI_AGAIN', 'name_lookup_failed', 'The host name could not be looked up.'],
])('a lookup that fails with %s is reported as %s', async (error, code, reason) => {
  const lookup = () => Promise.reject(Object.assign(new Error('lookup'), { code: error }))
  const outcome = await post(openSender({ lookup }), { port: 9 + 1024 })
  expect(outcome).toEqual({ kind: 'unreachable', code, reason, ...TIMING })
})

test('a name without addresses is reported as name_not_found', async () => {
  const outcome = await post(openSender({ lookup: async () => [] }), { port: 1_024 })
  expect(outcome).toMatchObject({ kind: 'unreachable', code: 'name_not_found' })
})

test('without the option lookup, the hosts file and DNS resolve names', async () => {
  const receiver = await openReceiver()
  const sender = openSender({ guard: createAddressGuard(['127.0.0.0/8', '::1/128']) })
  assertAnswered(await post(sender, receiver, { url: `https://localhost:${receiver.port}/` }))
})

test('the sender ignores proxy settings in the environment', async () => {
  for (const name of ['HTTPS_PROXY', 'https_proxy', 'ALL_PROXY', 'NODE_USE_ENV_PROXY']) {
    const before = process.env[name]
    process.env[name] = name === 'NODE_USE_ENV_PROXY' ? '1' : 'http://127.0.0.1:1'
    onTestFinished(() => {
      if (before === undefined) delete process.env[name]
      else process.env[name] = before
    })
  }
  const receiver = await openReceiver()
  assertAnswered(await post(openSender({ lookup: async () => [LOOPBACK] }), receiver))
})
