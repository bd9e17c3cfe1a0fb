import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { inspect } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadConfig } from '../../src/config/config.ts'
import type { Database } from '../../src/db/client.ts'
import { createSignInLink } from '../../src/sessions/sign-in-link.ts'
import { testEnvironment } from '../support/app.ts'
import { createTestDatabase } from '../support/database.ts'
import { createTenant, JOINED } from '../support/factories.ts'
import { type PosthornProcess, runPosthorn, startPosthorn } from '../support/posthorn-process.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { until } from '../support/until.ts'

/** A word that is nowhere else, for each secret there is. */
const marker = (name: string) => `marker${name}${randomBytes(8).toString('hex')}`
const encryptionKey = randomBytes(32)
const MARKERS: Record<string, string> = {
  'database password': marker('Database'),
  'proxy password': marker('Proxy'),
  'header value': marker('Header'),
  'encryption key': encryptionKey.toString('base64'),
  'encryption key in hex': encryptionKey.toString('hex'),
  'unknown API key': `phk_${marker('Token')}`,
}

/** Everything that was written by anybody, by where it was found. */
const written = new Map<string, string>()
const role = marker('role').toLowerCase()

let database: Database
let receiver: Receiver
let proxy: Awaited<ReturnType<typeof startProxy>>
let folder: string
let environment: Record<string, string>
let organization: string

beforeAll(async () => {
  database = await createTestDatabase()
  receiver = await startReceiver()
  proxy = await startProxy()
  folder = await mkdtemp(path.join(tmpdir(), 'posthorn markers '))
  const password = MARKERS['database password'] as string
  await database.pool.query(`create role ${role} login superuser password '${password}'`)
  const url = new URL(database.url)
  url.username = role
  url.password = password
  const caFile = path.join(folder, 'ca.pem')
  await writeFile(caFile, receiver.authority)
  environment = {
    ...testEnvironment(url.href),
    POSTHORN_ENCRYPTION_KEYS: encryptionKey.toString('base64'),
    POSTHORN_EGRESS_PROXY: `http://posthorn:${MARKERS['proxy password']}@127.0.0.1:${proxy.port}`,
    POSTHORN_EGRESS_CA_FILE: caFile,
    POSTHORN_RETRY_SCHEDULE: '50ms',
    POSTHORN_LOG_LEVEL: 'trace',
  }
  organization = (await createTenant(database.prisma)).publicOrganizationId
})
afterAll(async () => {
  await database.pool.query(`drop owned by ${role}; drop role ${role}`)
  await database[Symbol.asyncDispose]()
  await receiver[Symbol.asyncDispose]()
  proxy.close()
  await rm(folder, { recursive: true, force: true })
})

test('no secret is anywhere that it is not meant to be, whatever happens', async () => {
  const made = await runPosthorn(
    ['key', 'create', '--organization', organization, '--scope', 'admin', '--json'],
    { environment },
  )
  written.set('stderr of key create', made.stderr)
  const { token } = JSON.parse(made.stdout)
  MARKERS['API key'] = token

  await using posthorn = startPosthorn(['start'], { environment })
  await until(() => posthorn.stderr.includes('"ready"'), 'it is ready')
  const url = /"url":"([^"]+)"/.exec(posthorn.stderr)?.[1] as string
  await everythingThatHappens(url, token)
  for (const page of ['/metrics', '/openapi.json', '/healthz', '/readyz', '/nowhere']) {
    written.set(page, await (await fetch(url + page)).text())
  }
  written.set('process arguments', argumentsOf(posthorn))
  posthorn.child.kill('SIGTERM')
  await posthorn.ended
  written.set('standard output', posthorn.stdout)
  written.set('standard error', posthorn.stderr)
  // The traces are there, so there was something to search.
  expect(posthorn.stderr).toContain('delivery.attempted')

  await whatFailsToStart()
  const { config } = loadConfig(environment)
  written.set('configuration', JSON.stringify(config) + inspect(config, { depth: 9 }))
  for (const [table, text] of await tables()) written.set(table, text)
  expect(written.get('posthorn.webhooks')).toContain('https://localhost')
  const jobs = [...written].filter(([place]) => place.startsWith('graphile_worker.'))
  expect(jobs.map(([, text]) => text).join()).toContain('posthorn:deliver')

  expect(found()).toEqual([])
}, 90_000)

test('the search finds what it looks for', () => {
  written.set('planted', `a${MARKERS['header value']}b`)
  expect(found()).toEqual(['the header value in planted'])
  written.delete('planted')
})

function found(): string[] {
  return [...written].flatMap(([place, text]) =>
    Object.entries(MARKERS)
      .filter(([, value]) => text.includes(value))
      .map(([name]) => `the ${name} in ${place}`),
  )
}

/** Successes and failures of every kind, over both APIs. */
async function everythingThatHappens(url: string, token: string): Promise<void> {
  let calls = 0
  const call = async (method: string, address: string, body?: unknown, key = token) => {
    const response = await fetch(url + address, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    return { status: response.status, text: await response.text(), place: `answer ${++calls}` }
  }
  /** An answer that must hold no secret. */
  const ask = async (...args: Parameters<typeof call>) => {
    const { text, place } = await call(...args)
    written.set(`${place} to ${args[0]} ${args[1]}`, text)
    return text
  }
  const graphql = (query: string, variables = {}) => ask('POST', '/graphql', { query, variables })

  const hooks = '/api/connect/v1/webhooks'
  const hook = {
    url: receiver.url,
    enabled: true,
    event_subscriptions: [JOINED],
    headers: { Authorization: `Bearer ${MARKERS['header value']}` },
  }
  // Who has the scope to read secrets is answered with the headers they gave.
  const { id } = JSON.parse((await call('POST', hooks, hook)).text)
  const { key } = JSON.parse((await call('GET', `${hooks}/${id}/secret`)).text)
  MARKERS['signing secret'] = key.slice('whsec_'.length)
  MARKERS['signing secret in hex'] = Buffer.from(key.slice(6), 'base64').toString('hex')
  const publish =
    'mutation ($input: PublishEventInput!) { publishEvent(input: $input) { __typename } }'

  await graphql(publish, { input: { type: JOINED, data: { n: 1 } } })
  expect((await receiver.arrival(1)).headers.authorization).toContain(MARKERS['header value'])
  receiver.answer = (response) => {
    response.statusCode = 500
    response.end('no')
  }
  await graphql(publish, { input: { type: JOINED, data: { n: 2 } } })
  await receiver.arrival(3)
  receiver.answer = (response) => void response.destroy()
  await graphql(publish, { input: { type: JOINED, data: { n: 3 } } })
  await receiver.arrival(5)
  proxy.refuse = true
  await graphql(publish, { input: { type: JOINED, data: { n: 4 } } })
  const failed =
    '{ deliveries(first: 1) { nodes { state attempts { nodes { error errorCode } } } } }'
  await until(async () => (await graphql(failed)).includes('EXHAUSTED'), 'the proxy refused it')
  proxy.refuse = false

  await ask('PUT', `${hooks}/${id}`, { headers: { 'bad name': MARKERS['header value'] } })
  await ask('PUT', `${hooks}/${id}`, { headers: { 'Wh-Id': MARKERS['header value'] } })
  await ask('PUT', `${hooks}/${id}`, { headers: { 'X-Key': `${MARKERS['header value']}\n` } })
  await ask('POST', hooks, `{"headers":{"a":"${MARKERS['header value']}"`)
  await ask('GET', hooks, undefined, MARKERS['unknown API key'])
  await ask('POST', '/graphql', '{"query":')
  await graphql('{ webhooks { nodes { url nope } } }')
  await graphql('{ webhooks { nodes { id url } } auditLog { nodes { action before after } } }')
  await signInAndOut(url, token, ask)
  await call('POST', `${hooks}/${id}/secret/rotate`)
  // Faults of our own: a table that is not there.
  await database.pool.query('alter table posthorn.signing_secrets rename to gone')
  await ask('GET', `${hooks}/${id}/secret`)
  await ask('POST', hooks, hook)
  await database.pool.query('alter table posthorn.gone rename to signing_secrets')
  await call('DELETE', `${hooks}/${id}`)
}

/** Sessions of the console and of the portal, and a link that signs in; some of them refused. */
async function signInAndOut(
  url: string,
  token: string,
  ask: (method: string, address: string, body?: unknown, key?: string) => Promise<string>,
): Promise<void> {
  const signIn = (proof: object) =>
    fetch(`${url}/console/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(proof),
    })
  const keep = (name: string, response: Response) => {
    const [, session = ''] =
      /session=([\w-]{43})/.exec(response.headers.get('set-cookie') ?? '') ?? []
    expect(session).not.toBe('')
    MARKERS[name] = session
    return `posthorn_session=${session}`
  }
  const { id } = await database.prisma.apiKey.findFirstOrThrow({
    where: { scopes: { has: 'admin' } },
  })
  const link = await createSignInLink(database.pool, id)
  MARKERS['sign-in link'] = link
  keep('session of a link', await signIn({ link }))
  const used = await signIn({ link })
  written.set('the answer to a used link', await used.text())
  const cookie = keep('session', await signIn({ token }))
  const asked = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { cookie, 'posthorn-console': '1', 'content-type': 'application/json' },
    body: '{"query":"{ viewer { scopes apiKey { id } } nothing }"}',
  })
  written.set('an answer to a cookie', await asked.text())

  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'posthorn-organization': organization,
      'content-type': 'application/json',
    },
    body: JSON.stringify({
      query: `mutation { createPortalSession(input: { scopes: ["webhooks:read"] }) {
        ... on CreatePortalSessionSuccess { portalSession { url } } } }`,
    }),
  })
  const [, portal = ''] = /#token=(phk_\w+)/.exec(await response.text()) ?? []
  expect(portal).not.toBe('')
  MARKERS['portal session'] = portal
  await ask('GET', '/api/connect/v1/webhooks', undefined, portal)
  await ask('POST', '/console/session', { token: portal })
  await ask(
    'POST',
    '/graphql',
    { query: '{ viewer { portal { expiresAt } } apiKeys { nope } }' },
    portal,
  )
  const gone = await fetch(`${url}/console/session`, { method: 'DELETE', headers: { cookie } })
  written.set('the answer to signing out', await gone.text())
}

/** What is said when nothing works. */
async function whatFailsToStart(): Promise<void> {
  const away = new URL(environment['DATABASE_URL'] as string)
  away.port = '1'
  const none = new URL(environment['DATABASE_URL'] as string)
  none.pathname = '/no_such_database'
  const attempts: Record<string, Record<string, string>> = {
    'Postgres away': { DATABASE_URL: away.href },
    'no such database': { DATABASE_URL: none.href },
    'a wrong URL': { DATABASE_URL: `mysql://x:${MARKERS['database password']}@localhost/x` },
    'a wrong proxy': { POSTHORN_EGRESS_PROXY: `socks5://x:${MARKERS['proxy password']}@localhost` },
    'a wrong key': { POSTHORN_ENCRYPTION_KEYS: `${encryptionKey.toString('base64')},x` },
    'a wrong setting': { PORT: 'x' },
  }
  for (const [name, settings] of Object.entries(attempts)) {
    const { code, stdout, stderr } = await runPosthorn(['start'], {
      environment: { ...environment, ...settings },
    })
    expect(code, name).toBe(1)
    written.set(`what is said of ${name}`, stdout + stderr)
  }
}

/** All rows of all tables, as text, and what is in bytes also as such. */
async function tables(): Promise<[string, string][]> {
  const { rows } = await database.pool.query<{ name: string }>(
    `select format('%I.%I', n.nspname, c.relname) as name from pg_class as c join pg_namespace as n on n.oid = c.relnamespace
     where n.nspname in ('posthorn', 'graphile_worker') and c.relkind in ('r', 'p')`,
  )
  const texts: [string, string][] = []
  for (const { name } of rows) {
    const { rows: lines } = await database.pool.query<{ line: string }>(
      `select t::text as line from ${name} as t`,
    )
    const text = lines.map(({ line }) => line).join('\n')
    const bytes = [...text.matchAll(/\\\\x([0-9a-f]+)/g)].map(([, hex = '']) =>
      Buffer.from(hex, 'hex').toString('latin1'),
    )
    texts.push([name, [text, ...bytes].join('\n')])
  }
  return texts
}

function argumentsOf({ child }: PosthornProcess): string {
  const file = `/proc/${child.pid}/cmdline`
  return existsSync(file) ? readFileSync(file, 'utf8') : child.spawnargs.join(' ')
}

/** A forward proxy that lets everybody through who may, or nobody. */
async function startProxy() {
  const server = createServer()
  server.on('connect', (request, socket) => {
    const allowed = request.headers['proxy-authorization']?.startsWith('Basic ')
    if (!allowed || state.refuse)
      return socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n')
    const { hostname, port } = new URL(`http://${request.url}`)
    const onward = connect(Number(port), hostname, () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      onward.pipe(socket)
      socket.pipe(onward)
    })
    onward.on('error', () => socket.destroy())
    socket.on('error', () => onward.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const state = {
    refuse: false,
    port: (server.address() as AddressInfo).port,
    close: () => server.close(),
  }
  return state
}
