import { describe, expect, onTestFinished, test } from 'vitest'
import { measureBusyMs } from '../support/measure-busy.ts'
import { type DnsAnswer, startDnsServer } from './dns-server.ts'
import { assertAnswered, openReceiver, openSender, post } from './sending.ts'

const ADDRESSES: DnsAnswer = { addresses: ['127.0.0.1', '::ffff:127.0.0.1'] }

async function openNameServer(answer: (type: 'A' | 'AAAA') => DnsAnswer) {
  const dns = await startDnsServer((_name, type) => answer(type))
  onTestFinished(() => dns[Symbol.asyncDispose]())
  return dns
}

/** Sends to a receiver whose name these servers look up. */
async function send(...servers: { readonly address: string }[]) {
  const receiver = await openReceiver()
  const dnsServers = servers.map(({ address }) => address)
  const sending = post(openSender({ lookup: undefined, dnsServers }), receiver)
  const busyMs = await measureBusyMs(sending)
  return { outcome: await sending, busyMs }
}

const UNANSWERED: [what: string, answer: DnsAnswer][] = [
  ['is not answered', { failure: 'silence' }],
  ['is answered late', { ...ADDRESSES, delayMs: 2_000 }],
  ['fails', { failure: 'SERVFAIL' }],
  ['is answered with garbage', { failure: 'garbage' }],
  ['is answered as if the name did not exist', { failure: 'NXDOMAIN' }],
  ['has no address', {}],
]

describe.each(['A', 'AAAA'] as const)('a look-up of which the question for %s', (unanswered) => {
  test.each(UNANSWERED)('%s costs at most half a second', async (_what, answer) => {
    const dns = await openNameServer((type) => (type === unanswered ? answer : ADDRESSES))
    const { outcome, busyMs } = await send(dns)
    assertAnswered(outcome)
    expect(outcome.connection?.lookupMs).toBeLessThanOrEqual(500 + busyMs)
  })
})

const SILENT = () => ({ failure: 'silence' }) as const

test('the second name server is asked if the first one does not answer', async () => {
  const silent = await openNameServer(SILENT)
  const answers = await openNameServer(() => ADDRESSES)
  const { outcome } = await send(silent, answers)
  assertAnswered(outcome)
  expect(silent.queries.length).toBeGreaterThan(0)
  expect(answers.queries.length).toBeGreaterThan(0)
})

test('name servers of which none answers are a failed look-up, before the time for connecting is over', async () => {
  const { outcome } = await send(await openNameServer(SILENT), await openNameServer(SILENT))
  expect(outcome).toMatchObject({ kind: 'unreachable', code: 'name_lookup_failed' })
})

test('an address that comes too late is not connected to', async () => {
  const dns = await openNameServer((type) =>
    type === 'A' ? ADDRESSES : { addresses: ['::1'], delayMs: 400 },
  )
  assertAnswered((await send(dns)).outcome)
  expect(dns.queries).toContain('AAAA receiver.test')
})
