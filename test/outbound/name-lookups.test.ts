import { expect, test } from 'vitest'
import { type DnsAnswer, openDnsServer } from './dns-server.ts'
import { assertAnswered, openReceiver, openSender, poll, post } from './sending.ts'

const ADDRESSES: DnsAnswer = { addresses: ['127.0.0.1', '::ffff:127.0.0.1'] }

/** Sends to a receiver whose name these servers look up. */
async function send(...servers: { readonly address: string }[]) {
  const receiver = await openReceiver()
  const dnsServers = servers.map(({ address }) => address)
  return await post(openSender({ lookup: undefined, dnsServers }), receiver)
}

test.each([
  ['is not answered', { failure: 'silence' }],
  ['is answered late', { ...ADDRESSES, delayMs: 2_000 }],
  ['fails', { failure: 'SERVFAIL' }],
  ['has no address', {}],
] as const)(
  'a look-up of which the question for AAAA %s succeeds with the other one',
  async (_what, answer) => {
    const dns = await openDnsServer((_, type) => (type === 'AAAA' ? answer : ADDRESSES))
    assertAnswered(await send(dns))
  },
)

test('ten names that are not answered hold up no other name', async () => {
  const dns = await openDnsServer((name) => (/^slow/.test(name) ? SILENT() : ADDRESSES))
  const receiver = await openReceiver()
  const sender = openSender({ lookup: undefined, dnsServers: [dns.address] })
  const stop = new AbortController()
  const { signal } = stop
  for (let i = 0; i < 10; i++)
    void post(sender, receiver, { url: `https://slow-${i}.test`, signal })
  await poll(() => dns.queries.length >= 20)
  assertAnswered(await post(sender, receiver))
  stop.abort()
})

const SILENT = () => ({ failure: 'silence' }) as const

test('the second name server is asked if the first one does not answer', async () => {
  const silent = await openDnsServer(SILENT)
  const answers = await openDnsServer(() => ADDRESSES)
  assertAnswered(await send(silent, answers))
  expect(silent.queries.length).toBeGreaterThan(0)
  expect(answers.queries.length).toBeGreaterThan(0)
})

test('name servers of which none answers are a failed look-up, before the time for connecting is over', async () => {
  const outcome = await send(await openDnsServer(SILENT), await openDnsServer(SILENT))
  expect(outcome).toMatchObject({ kind: 'failed', code: 'name_lookup_failed' })
})
