import { createHmac, randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { connect } from 'node:net'
import { networkInterfaces } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { startTcpProxy } from '../faults/tcp-proxy.ts'
import { startTestApp, useTestApp } from '../support/app.ts'
import { createTenant, JOINED, TICKET } from '../support/factories.ts'
import { freePort } from '../support/free-port.ts'
import { listen as listenAt } from '../support/listen.ts'
import { startPosthorn } from '../support/posthorn-process.ts'
import { until } from '../support/until.ts'
import { useFolder } from '../support/use-folder.ts'
import { type RunningCommand, startCommand } from './run-command.ts'

const SECRET = newSecret()
const EVENT = {
  id: 'evt_01k0',
  type: 'event_attendee.joined_event',
  timestamp: '2026-01-02T03:04:05.000Z',
  data: { attendee: 'Zoë' },
}

const DATA = path.join(await useFolder('listen'), '.posthorn')

let running: RunningCommand | undefined
let environment: Record<string, string>

beforeEach(() => {
  environment = { POSTHORN_DATA_DIR: DATA }
})
afterEach(async () => {
  running?.kill('SIGTERM')
  await running?.ended
})

describe('output', () => {
  test('a delivery signed with one of the secrets is verified, answered with 200 and printed with its headers and body', async () => {
    const listener = await listening('--secret', newSecret(), '--secret', SECRET)
    const delivery = signed({ headers: { 'X-Tenant': 'acme' } })
    expect(await send(listener, delivery)).toMatchObject({ status: 200 })
    const block = await listener.printed('answered 200 OK')

    expect(block).toMatch(/^\d\d:\d\d:\d\d {2}✔ verified {2}event_attendee\.joined_event\n/)
    expect(block).toContain(`wh-id         ${delivery.id}\n`)
    expect(block).toMatch(/wh-timestamp {2}\d+ \(\d+ s ago\)\n/)
    expect(block).toMatch(/wh-signature {2}v1,[\w+/]{8}….{4}=\n/)
    expect(block).toContain('event         evt_01k0\n')
    expect(block).toContain('x-tenant      acme\n')
    expect(block).toContain('    "attendee": "Zoë"\n')
    expect(block).not.toContain(delivery.headers['wh-signature'])
    await send(listener, signed({ body: '{"data":{"n":9007199254740993}}' }))
    expect(await listener.printed('"n": ')).toContain('"n": 9007199254740993\n')
    expect(listener.stdout + listener.stderr).not.toContain(SECRET.slice(6))
  })

  test.each<[string, Delivery, RegExp]>([
    ['signed with another secret', signed({ secret: newSecret() }), /No v1 signature/],
    ['that is too old', signed({ ageSeconds: 301 }), /wh-timestamp is 3\d+ seconds before/],
  ])(
    'a delivery %s is answered with 400, and the reason is printed',
    async (_what, sent, reason) => {
      const listener = await listening('--secret', SECRET)
      const answer = await send(listener, sent)
      expect(answer).toMatchObject({ status: 400, body: expect.stringMatching(reason) })
      expect(await listener.printed('answered 400')).toMatch(
        new RegExp(`✘ rejected .*\\n {2}reason +${reason.source}`),
      )
    },
  )

  test('without a secret, deliveries are accepted unverified, and messages say so', async () => {
    const listener = await listening()
    await listener.said('Deliveries are not verified')
    expect(await send(listener, signed())).toMatchObject({ status: 200 })
    expect(await listener.printed('answered 200')).toContain('? not verified')
  })

  test('a challenge is answered if its signature is right', async () => {
    const listener = await listening('--secret', SECRET)
    const body = '{"type":"verification","challenge":"c-1"}'
    expect(await send(listener, signed({ body }))).toEqual({
      status: 200,
      body: '{"challenge":"c-1"}\n',
    })
    const forged = await send(listener, signed({ body, secret: newSecret() }))
    expect(forged.status).toBe(400)
    expect(forged.body).not.toContain('c-1')
  })

  test('a repeated delivery is marked and answered with 200', async () => {
    const listener = await listening('--secret', SECRET, '--status', '202', '--count', '3')
    const delivery = signed()
    const statuses = [
      await send(listener, delivery),
      await send(listener, signed({ id: delivery.id })),
      await send(listener, delivery),
    ].map(({ status }) => status)
    expect(statuses).toEqual([202, 200, 200])
    expect(await listener.ended).toBe(0)
    expect(listener.stdout).toContain(`${delivery.id}\n`)
    expect(listener.stdout).toContain(`${delivery.id} (received 2 times)\n`)
    expect(listener.stdout).toContain(`${delivery.id} (received 3 times)\n`)
  })
})

describe('untrusted input', () => {
  const ATTACK = '\u001b]0;owned\u0007\u001b[2J\u009b31m\u202e\u2028\r'
  const UNSAFE = /[^\P{Cc}\n]|[\u2028\u2029\u202a-\u202e]/u

  test.each([
    [
      'in the body and in headers',
      {
        body: JSON.stringify({ id: `e${ATTACK}`, type: `t${ATTACK}`, [`k${ATTACK}`]: ATTACK }),
        headers: { 'x-bad': 'a\u009b2Jb' },
      },
      ['t\\u001b]0;owned\\u0007\\u001b[2J\\u009b31m\\u202e\\u2028\\u000d', 'a\\u009b2Jb'],
    ],
    [
      'in a body that is no JSON, which cannot forge a result',
      { secret: newSecret(), body: `${ATTACK}\n12:00:00  ✔ verified  forged` },
      ['  │ 12:00:00  ✔ verified  forged'],
    ],
  ])('escape sequences %s do not reach the terminal', async (_where, delivery, shown) => {
    const listener = await listening('--secret', SECRET)
    await send(listener, signed(delivery))
    const block = await listener.printed('answered')
    expect(block).not.toMatch(UNSAFE)
    expect(block).not.toMatch(/^12:00:00/m)
    for (const text of shown) expect(block).toContain(text)
    await listener.end()
    const asJson = await listening('--secret', SECRET, '--json')
    await send(asJson, signed({ body: JSON.stringify({ attack: ATTACK }) }))
    const line = await asJson.printed('\n')
    expect(line).not.toMatch(UNSAFE)
    expect(JSON.parse(line).body).toEqual({ attack: ATTACK })
  })

  test('a body of 1 MiB is accepted, a larger one answered with 413, and deep JSON printed as text', async () => {
    const listener = await listening('--secret', SECRET)
    for (const size of [1_048_576, 1_048_577, 5_000_000]) {
      const { status } = await send(listener, signed({ body: 'x'.repeat(size) }))
      expect(status).toBe(size === 1_048_576 ? 200 : 413)
    }
    const body = '['.repeat(50_000) + ']'.repeat(50_000)
    expect(await send(listener, signed({ body }))).toMatchObject({ status: 200 })
  })

  test('a request other than POST is answered with 405 and not counted as a delivery', async () => {
    const listener = await listening('--secret', SECRET, '--count', '1', '--json')
    expect(await send(listener, signed(), 'GET')).toMatchObject({ status: 405 })
    expect(await send(listener, signed(), 'PUT')).toMatchObject({ status: 405 })
    expect(await send(listener, signed())).toMatchObject({ status: 200 })
    expect(await listener.ended).toBe(0)
    expect(listener.stdout.trim().split('\n')).toHaveLength(1)
  })

  test('a failed TLS handshake is logged, and later deliveries are received', async () => {
    const listener = await listening('--secret', SECRET)
    // A client that rejects the certificate can do so after its side of the handshake, which is then no failure here.
    const client = connect(listener.port, '127.0.0.1', () => client.end('no handshake'))
    client.on('error', () => {})
    await listener.said('aborted the TLS handshake')
    expect(await send(listener, signed())).toMatchObject({ status: 200 })
  })
})

describe('responses', () => {
  test('--fail 2 responds with 500 twice and then accepts; rejected deliveries do not count', async () => {
    const listener = await listening('--secret', SECRET, '--fail', '2')
    const delivery = signed()
    const statuses: number[] = []
    for (const sent of [delivery, signed({ secret: newSecret() }), delivery, delivery, signed()]) {
      statuses.push((await send(listener, sent)).status)
    }
    expect(statuses).toEqual([500, 400, 500, 200, 200])
  })

  test('--status sets the status of every response, also for repeated deliveries unless it is 2xx', async () => {
    const listener = await listening('--secret', SECRET, '--status', '503')
    const delivery = signed()
    expect(await send(listener, delivery)).toMatchObject({ status: 503 })
    expect(await send(listener, delivery)).toMatchObject({ status: 503 })
    expect(await listener.printed('answered 503 Service Unavailable')).toContain('✔ verified')
    await listener.end()
    const empty = await listening('--secret', SECRET, '--status', '204')
    expect(await send(empty, signed())).toEqual({ status: 204, body: '' })
    await empty.printed('answered 204')
  })

  test('--count prints no more deliveries even if more arrive in parallel', async () => {
    const listener = await listening('--count', '2', '--json')
    await Promise.allSettled(Array.from({ length: 6 }, () => send(listener, signed())))
    expect(await listener.ended).toBe(0)
    expect(listener.stdout.trim().split('\n')).toHaveLength(2)
  })

  test('--json prints one JSON value per line and nothing else on stdout', async () => {
    const listener = await listening('--secret', SECRET, '--json', '--count', '3')
    const good = signed({ headers: { 'x-tenant': 'acme' } })
    await send(listener, good)
    // A rejected one counts.
    await send(listener, { ...good, body: 'no JSON' })
    await send(listener, { ...good, headers: { ...good.headers, 'wh-test': 'true' } })
    expect(await listener.ended).toBe(0)
    const lines = listener.stdout.trimEnd().split('\n')
    const first = {
      ...{ time: expect.stringMatching(/^\d{4}-.*Z$/), id: good.id, isTest: false, arrivals: 1 },
      ...{ timestamp: good.headers['wh-timestamp'], signature: good.headers['wh-signature'] },
      ...{ verified: true, reason: null, answered: 200 },
      ...{ headers: { 'x-tenant': 'acme' }, body: EVENT },
    }
    const forged = { verified: false, reason: expect.stringContaining('No v1 signature') }
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      first,
      { ...first, ...forged, arrivals: 2, body: 'no JSON', answered: 400 },
      { ...first, isTest: true, arrivals: 3 },
    ])
  })

  test('POSTHORN_HEADER_PREFIX sets the prefix of the signature headers', async () => {
    environment['POSTHORN_HEADER_PREFIX'] = 'webhook-'
    const listener = await listening('--secret', SECRET, '--count', '1')
    expect(await send(listener, signed({ prefix: 'webhook-' }))).toMatchObject({ status: 200 })
    expect(await listener.ended).toBe(0)
    expect(listener.stdout).toContain('webhook-id')
  })

  test('--port sets the port, on 127.0.0.1 only', async () => {
    const port = await freePort()
    const listener = await listening('--port', String(port))
    expect(listener.port).toBe(port)
    expect(listener.stderr).toContain(`https://localhost:${port}/`)
    const others = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])
    for (const { address } of others.filter((other) => other.address !== '127.0.0.1')) {
      await expect(once(connect({ host: address, port }), 'connect')).rejects.toThrow()
    }
  })
})

describe('--register', async () => {
  const posthorn = await useTestApp({ role: 'api' })
  /** A new organization. */
  let tenant: Awaited<ReturnType<typeof createTenant>>

  beforeEach(async () => {
    tenant = await createTenant(posthorn.database.prisma)
    environment['POSTHORN_API_KEY'] = tenant.token
  })

  const access = (server = posthorn.app.url) => ['--server', server]

  const registered = (...args: string[]) => listening('--register', ...access(), ...args)

  // biome-ignore lint/suspicious/noExplicitAny: a test knows the shape of its answer.
  async function call(method: string, url: string): Promise<any> {
    const headers = { authorization: `Bearer ${tenant.token}` }
    const base = `${posthorn.app.url}/api/connect/v1/webhooks`
    const text = await (await fetch(`${base}${url}`, { method, headers })).text()
    return text === '' ? undefined : JSON.parse(text)
  }
  const webhooks = () => call('GET', '')
  async function only() {
    const [webhook, ...others] = await webhooks()
    expect(others).toEqual([])
    const { key } = await call('GET', `/${webhook.id}/secret`)
    return { ...webhook, secret: key }
  }

  const sendSigned = async (listener: Address) =>
    await send(listener, signed({ secret: (await only()).secret }))

  test('creates an enabled webhook for all event types, verifies with its secret, and deletes it at Ctrl+C', async () => {
    const listener = await registered()
    const webhook = await only()
    expect(webhook).toMatchObject({
      url: `https://localhost:${listener.port}/`,
      enabled: true,
      event_subscriptions: expect.arrayContaining([JOINED, TICKET]),
    })
    await send(listener, signed({ secret: webhook.secret }))
    expect(await listener.printed('answered 200')).toContain('✔ verified')
    expect(await send(listener, signed())).toMatchObject({ status: 400 })

    expect(await listener.end()).toBe(0)
    expect(await webhooks()).toEqual([])
    const printed = listener.stdout + listener.stderr
    expect(printed).not.toContain(webhook.secret.slice(6))
    expect(printed).not.toContain(tenant.token)
  })

  test.each<[end: string, end: (listener: Listener) => Promise<unknown>]>([
    ['SIGTERM', async ({ kill }) => kill('SIGTERM')],
    ['SIGHUP', async ({ kill }) => kill('SIGHUP')],
    // From the terminal and from npm.
    ['one Ctrl+C twice', async ({ kill }) => [kill('SIGINT'), kill('SIGINT')]],
    ['--count', async (listener) => await sendSigned(listener)],
    // Then there is nothing to delete.
    [
      'a webhook that was deleted, and Ctrl+C',
      async ({ kill }) => {
        await call('DELETE', `/${(await only()).id}`)
        kill('SIGINT')
      },
    ],
  ])('deletes the webhook at the end by %s', async (_end, end) => {
    const listener = await registered('--count', '1', '--json')
    expect(await webhooks()).toHaveLength(1)
    await end(listener)
    expect(await listener.ended).toBe(0)
    expect(await webhooks()).toEqual([])
  })

  test('deletes the webhook when the reader of its output closes the pipe', async () => {
    const args = ['listen', '--register', '--json', ...access()]
    await using command = startPosthorn(args, { environment })
    await until(() => command.stderr.includes('Registered'), 'the webhook is registered')
    command.child.stdout?.destroy()
    await sendSigned(await addressOf(command.stderr))
    expect(await command.ended).toBe(0)
    expect(await webhooks()).toEqual([])
  })

  test('names the webhook that could not be deleted, with exit code 1', async () => {
    await using proxy = await startTcpProxy(posthorn.app.url)
    const server = access(proxy.url)
    const listener = await listening('--register', ...server)
    const { id } = await only()
    proxy.disconnect()
    expect(await listener.end()).toBe(1)
    expect(listener.stderr).toContain(`The webhook ${id} could not be deleted`)
    expect(listener.stderr).toContain('cannot be reached')
  })

  test('--event, repeated or with commas, sets the event types', async () => {
    const listener = await registered('--event', `${TICKET},${JOINED}`, '--event', JOINED)
    expect((await only()).event_subscriptions).toEqual([TICKET, JOINED])
    expect(await listener.end()).toBe(0)
  })

  test('names an unknown event type, without its escape sequences', async () => {
    const listener = listen('--register', ...access(), '--event', 'a\u001b[2J')
    expect(await listener.ended).toBe(1)
    expect(listener.stderr).toContain('a\\u001b[2J')
    expect(listener.stderr).not.toContain('\u001b')
  })

  test('if Posthorn sends only to public addresses, names the ways to receive deliveries here', async () => {
    const { database } = posthorn
    const environment = { POSTHORN_EGRESS_ALLOW: '' }
    await using guarded = await startTestApp({ role: 'api', database, environment })
    const listener = listen('--register', ...access(guarded.app.url))
    expect(await listener.ended).toBe(1)
    expect(listener.stderr).toContain('This Posthorn sends only to')
    for (const way of ['--forward', 'POSTHORN_EGRESS_ALLOW=', 'POSTHORN_EGRESS_CA_FILE=']) {
      expect(listener.stderr).toContain(way)
    }
  })
})

const FORWARD = ['--forward', 'http://127.0.0.1:1/']

describe('errors exit with code 1 and say what is wrong', () => {
  test.each([
    [['--port', '65536'], 'Give a whole number from 0 to 65535.'],
    [['--count', '0'], 'Give a whole number from 1 to'],
    [['--fail', 'x'], 'Give a whole number from 0 to'],
    [['--event', 'a.b'], '--event requires --register or --forward.'],
    [['--save', 'folder'], '--save requires --forward.'],
    [['--forward', 'localhost:3000'], 'Give an http:// or https:// URL.'],
    [[...FORWARD, '--register'], "'--forward <url>' cannot be used with option '--register'"],
    [[...FORWARD, '--secret', 'whsec_A-'], 'secret'],
    [['--replay', 'msg_1'], '--replay requires --forward.'],
    [['--register', '--event', 'a,,b'], 'Give names, separated by commas.'],
    [['--register', '--key-file', 'missing'], "open 'missing'"],
    [['--key-file', 'missing'], '--key-file requires --register or --forward.'],
    [['--secret', 'whsec_hidden?'], 'The webhook secret is not base64'],
  ])('%j', async (args, message) => {
    const listener = listen(...args)
    expect(await listener.ended).toBe(1)
    expect(listener.stderr).toContain(message)
    expect(listener.stderr).not.toContain('hidden?')
    expect(listener.stdout).toBe('')
  })

  test('a port that is already in use', async () => {
    const server = createServer()
    const port = await listenAt(server)
    onTestFinished(() => void server.close())
    const listener = listen('--port', String(port))
    expect(await listener.ended).toBe(1)
    const message = `Port ${port} is already in use. Give another one with --port`
    expect(listener.stderr).toContain(message)
  })
})

type Listener = Awaited<ReturnType<typeof listening>>

function listen(...args: string[]): RunningCommand {
  running = startCommand(['listen', ...args], environment)
  return running
}

interface Address {
  readonly port: number
  readonly ca: Buffer
}

/** Where the command that printed this receives deliveries. */
async function addressOf(stderr: string): Promise<Address> {
  const port = Number(/https:\/\/localhost:(\d+)\//.exec(stderr)?.[1])
  if (Number.isNaN(port)) throw new Error(`The listener did not start: ${stderr}`)
  return { port, ca: await readFile(path.join(DATA, 'authority', 'ca.pem')) }
}

async function listening(...args: string[]) {
  const command = listen(...args)
  let hasEnded = false
  void command.ended.then(() => {
    hasEnded = true
  })
  const said = (expected: string) =>
    until(() => command.stderr.includes(expected) || hasEnded, 'the command goes on')
  await said(args.includes('--register') ? 'Registered' : 'Listening')
  return Object.assign(command, await addressOf(command.stderr), {
    said,
    async printed(expected: string) {
      await until(() => command.stdout.includes(expected), 'the command goes on')
      return command.stdout
    },
    /** By Ctrl+C. */
    end() {
      command.kill('SIGINT')
      return command.ended
    },
  })
}

interface Delivery {
  id: string
  headers: Record<string, string>
  body: string
}

/** Signs as in contract section 5.2, without the product's code. */
function signed(
  given: Partial<Delivery> & { secret?: string; ageSeconds?: number; prefix?: string } = {},
): Delivery {
  const { secret = SECRET, prefix = 'wh-', body = JSON.stringify(EVENT), ageSeconds = 0 } = given
  const id = given.id ?? `msg_${randomUUID()}`
  const timestamp = String(Math.floor(Date.now() / 1000) - ageSeconds)
  const hmac = createHmac('sha256', Buffer.from(secret.slice(6), 'base64'))
  const headers = {
    [`${prefix}id`]: id,
    [`${prefix}timestamp`]: timestamp,
    [`${prefix}signature`]: `v1,${hmac.update(`${id}.${timestamp}.${body}`).digest('base64')}`,
    ...given.headers,
  }
  return { id, headers, body }
}

async function send(
  to: Address,
  { headers, body }: Delivery,
  method = 'POST',
): Promise<{ status: number; body: string }> {
  const sent = request({
    ...{ host: 'localhost', family: 4, port: to.port, ca: to.ca, method, agent: false },
    headers: { 'content-type': 'application/json', ...headers },
  })
  // A Buffer: Node would write a string together with the headers, and encode the headers as UTF-8 too.
  sent.end(method === 'GET' ? undefined : Buffer.from(body))
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  return { status: response.statusCode ?? 0, body: await text(response) }
}

function newSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`
}
