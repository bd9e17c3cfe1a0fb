import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { inspect } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSignInLink } from '../../src/auth/sessions/session.ts'
import { loadConfig } from '../../src/config/config.ts'
import { runCommand } from '../cli/run-command.ts'
import { openProxy } from '../outbound/forward-proxy.ts'
import { testEnvironment } from '../support/app.ts'
import { useTestDatabase } from '../support/database.ts'
import { createTenant, JOINED } from '../support/factories.ts'
import { type PosthornProcess, runPosthorn, startPosthorn } from '../support/posthorn-process.ts'
import { startReceiver } from '../support/receiver.ts'
import { until } from '../support/until.ts'
import { useFolder } from '../support/use-folder.ts'
import { useResource } from '../support/use-resource.ts'
import { startOtlpReceiver } from '../telemetry/support/otlp-receiver.ts'

/** A unique string for each secret. */
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

/** In a payload, which may be in tables and responses. */
const PAYLOAD = marker('Payload')

/** All collected output, by its source. */
const outputs = new Map<string, string>()
const role = marker('role').toLowerCase()

let rejectsTunnels = false
let environment: Record<string, string>
let organization: string

const folder = await useFolder('markers')
const database = await useTestDatabase()
const receiver = await useResource(startReceiver())
const collector = await useResource(startOtlpReceiver())

beforeAll(async () => {
  const password = MARKERS['database password'] as string
  await database.pool.query(`create role ${role} login superuser password '${password}'`)
  const url = Object.assign(new URL(database.url), { username: role, password })
  const caFile = path.join(folder, 'ca.pem')
  await writeFile(caFile, receiver.authority)
  environment = {
    ...testEnvironment(url.href),
    POSTHORN_ENCRYPTION_KEYS: encryptionKey.toString('base64'),
    POSTHORN_EGRESS_CA_FILE: caFile,
    POSTHORN_RETRY_SCHEDULE: '50ms',
    POSTHORN_LOG_LEVEL: 'trace',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  }
  organization = (await createTenant(database.prisma)).publicOrganizationId
})
afterAll(async () => {
  await database.pool.query(`drop owned by ${role}; drop role ${role}`)
})

test('no secret leaks into responses, logs, tables or the configuration', async () => {
  const proxy = await openProxy(() => (rejectsTunnels ? 407 : 200))
  environment['POSTHORN_EGRESS_PROXY'] = proxy.url.replace(
    '//',
    `//posthorn:${MARKERS['proxy password']}@`,
  )
  const created = await runCommand(
    ['key', 'create', '--organization', organization, '--scope', 'admin', '--json'],
    environment,
  )
  outputs.set('stderr of key create', created.stderr)
  const { token } = JSON.parse(created.stdout)
  MARKERS['API key'] = token

  await using posthorn = startPosthorn(['start'], { environment })
  await until(() => posthorn.stderr.includes('"ready"'), 'Posthorn is ready')
  const url = /"url":"([^"]+)"/.exec(posthorn.stderr)?.[1] as string
  await exerciseApis(url, token)
  expect(proxy.requests[0]?.authorization).toMatch(/^Basic /)
  for (const page of ['/metrics', '/openapi.json', '/healthz', '/readyz', '/nowhere']) {
    outputs.set(page, await (await fetch(url + page)).text())
  }
  outputs.set('process arguments', argumentsOf(posthorn))
  posthorn.child.kill('SIGTERM')
  await posthorn.ended
  outputs.set('spans', JSON.stringify(collector.spans))
  expect(outputs.get('spans')).toContain('http.request.method')
  outputs.set('standard output', posthorn.stdout)
  outputs.set('standard error', posthorn.stderr)
  // The log has entries, so the search is not vacuous.
  expect(posthorn.stderr).toContain('delivery.attempted')

  await failToStart()
  const { config } = loadConfig(environment)
  outputs.set('configuration', JSON.stringify(config) + inspect(config, { depth: 9 }))
  for (const [table, text] of await tables()) outputs.set(table, text)
  expect(outputs.get('posthorn.webhooks')).toContain('https://localhost')
  const jobs = [...outputs].filter(([source]) => source.startsWith('graphile_worker.'))
  expect(jobs.map(([, text]) => text).join()).toContain('posthorn:deliver')

  expect(findLeaks()).toEqual([])
  for (const source of ['standard output', 'standard error', 'spans', '/metrics']) {
    expect(outputs.get(source), source).not.toContain(PAYLOAD)
  }
})

function findLeaks(): string[] {
  return [...outputs].flatMap(([source, text]) =>
    Object.entries(MARKERS)
      .filter(([, value]) => text.includes(value))
      .map(([name]) => `the ${name} in ${source}`),
  )
}

/** Causes successes and failures of every kind over both APIs. */
async function exerciseApis(url: string, token: string): Promise<void> {
  let calls = 0
  const call = async (method: string, address: string, body?: unknown, key = token) => {
    const response = await fetch(url + address, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const source = `response ${++calls}`
    return { status: response.status, text: await response.text(), source }
  }
  /** Sends a request whose response must have no secret. */
  const callAndCollect = async (...args: Parameters<typeof call>) => {
    const { text, source } = await call(...args)
    outputs.set(`${source} to ${args[0]} ${args[1]}`, text)
    return text
  }
  const graphql = (query: string, variables = {}) =>
    callAndCollect('POST', '/graphql', { query, variables })

  const hooks = '/api/connect/v1/webhooks'
  const hook = {
    url: receiver.url,
    enabled: true,
    event_subscriptions: [JOINED],
    headers: { Authorization: `Bearer ${MARKERS['header value']}` },
  }
  // These responses may have secrets: the key has the scope to read them.
  const { id } = JSON.parse((await call('POST', hooks, hook)).text)
  const { key } = JSON.parse((await call('GET', `${hooks}/${id}/secret`)).text)
  MARKERS['signing secret'] = key.slice('whsec_'.length)
  MARKERS['signing secret in hex'] = Buffer.from(key.slice(6), 'base64').toString('hex')
  const publish =
    'mutation ($input: PublishEventInput!) { publishEvent(input: $input) { __typename } }'

  await graphql(publish, { input: { type: JOINED, data: { n: PAYLOAD } } })
  expect((await receiver.arrival(1)).headers.authorization).toContain(MARKERS['header value'])
  receiver.answer = (response) => void response.writeHead(500).end('no')
  await graphql(publish, { input: { type: JOINED, data: { n: 2 } } })
  await receiver.arrival(3)
  receiver.answer = (response) => void response.destroy()
  await graphql(publish, { input: { type: JOINED, data: { n: 3 } } })
  await receiver.arrival(5)
  rejectsTunnels = true
  await graphql(publish, { input: { type: JOINED, data: { n: 4 } } })
  const failed =
    '{ deliveries(first: 1) { nodes { state attempts { nodes { error errorCode } } } } }'
  await until(
    async () => (await graphql(failed)).includes('EXHAUSTED'),
    'the proxy rejects the delivery',
  )
  rejectsTunnels = false

  const secret = MARKERS['header value']
  for (const headers of [{ 'bad name': secret }, { 'X-Key': `${secret}\n` }]) {
    await callAndCollect('PUT', `${hooks}/${id}`, { headers })
  }
  await callAndCollect('POST', hooks, `{"headers":{"a":"${MARKERS['header value']}"`)
  await callAndCollect('GET', hooks, undefined, MARKERS['unknown API key'])
  await callAndCollect('POST', '/graphql', '{"query":')
  await graphql('{ webhooks { nodes { url nope } } }')
  await graphql('{ webhooks { nodes { id url } } auditLog { nodes { action before after } } }')
  await signInAndOut(url, token, callAndCollect)
  await call('POST', `${hooks}/${id}/secret/rotate`)
  // Cause internal errors with a missing table.
  await database.pool.query('alter table posthorn.signing_secrets rename to gone')
  await callAndCollect('GET', `${hooks}/${id}/secret`)
  await callAndCollect('POST', hooks, hook)
  await database.pool.query('alter table posthorn.gone rename to signing_secrets')
  await call('DELETE', `${hooks}/${id}`)
}

/** Creates sessions of the console and the portal and a sign-in link; some sign-ins fail. */
async function signInAndOut(
  url: string,
  token: string,
  callAndCollect: (method: string, path: string, body?: unknown, key?: string) => Promise<string>,
): Promise<void> {
  const post = (path: string, body: object, headers: Record<string, string> = {}) =>
    fetch(url + path, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  const signIn = (proof: object) => post('/console/session', proof)
  const addSessionMarker = (name: string, response: Response) => {
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
  addSessionMarker('session of a link', await signIn({ link }))
  const used = await signIn({ link })
  outputs.set('the response to a used link', await used.text())
  const cookie = addSessionMarker('session', await signIn({ token }))
  const query = '{ viewer { scopes apiKey { id } } nothing }'
  const viewer = await post('/graphql', { query }, { cookie, 'posthorn-console': '1' })
  outputs.set('a response to a cookie', await viewer.text())

  const create = `mutation { createPortalSession(input: { scopes: ["webhooks:read"] }) {
    ... on CreatePortalSessionSuccess { portalSession { url } } } }`
  const asOperator = { authorization: `Bearer ${token}`, 'posthorn-organization': organization }
  const response = await post('/graphql', { query: create }, asOperator)
  const [, portal = ''] = /#token=(phs_\w+)/.exec(await response.text()) ?? []
  expect(portal).not.toBe('')
  MARKERS['portal session'] = portal
  await callAndCollect('GET', '/api/connect/v1/webhooks', undefined, portal)
  await callAndCollect('POST', '/console/session', { token: portal })
  const asPortal = '{ viewer { session { expiresAt } } apiKeys { nope } }'
  await callAndCollect('POST', '/graphql', { query: asPortal }, portal)
  const signedOut = await fetch(`${url}/console/session`, { method: 'DELETE', headers: { cookie } })
  outputs.set('the response to signing out', await signedOut.text())
}

/** Collects the error messages of failed starts. */
async function failToStart(): Promise<void> {
  const unreachable = new URL(environment['DATABASE_URL'] as string)
  unreachable.port = '1'
  const attempts: Record<string, Record<string, string>> = {
    'an unreachable Postgres': { DATABASE_URL: unreachable.href },
    'a wrong URL': { DATABASE_URL: `mysql://x:${MARKERS['database password']}@localhost/x` },
    'a wrong proxy': { POSTHORN_EGRESS_PROXY: `socks5://x:${MARKERS['proxy password']}@localhost` },
    'a wrong key': { POSTHORN_ENCRYPTION_KEYS: `${encryptionKey.toString('base64')},x` },
  }
  for (const [name, settings] of Object.entries(attempts)) {
    const { code, stdout, stderr } = await runPosthorn(['start'], {
      environment: { ...environment, ...settings },
    })
    expect(code, name).toBe(name === 'an unreachable Postgres' ? 1 : 78)
    outputs.set(`the output for ${name}`, stdout + stderr)
  }
}

/** All rows of all tables as text, with decoded `bytea` values. */
async function tables(): Promise<[string, string][]> {
  const { rows } = await database.pool.query<{ name: string; text: string }>(
    `select format('%I.%I', n.nspname, c.relname) as name,
       query_to_xml(format('select t::text from %I.%I as t', n.nspname, c.relname), true, true, '')::text as text
     from pg_class as c join pg_namespace as n on n.oid = c.relnamespace
     where n.nspname in ('posthorn', 'graphile_worker') and c.relkind in ('r', 'p')`,
  )
  return rows.map(({ name, text }) => {
    const bytes = [...text.matchAll(/\\\\x([0-9a-f]+)/g)].map(([, hex = '']) =>
      Buffer.from(hex, 'hex').toString('latin1'),
    )
    return [name, [text, ...bytes].join('\n')]
  })
}

function argumentsOf({ child }: PosthornProcess): string {
  const file = `/proc/${child.pid}/cmdline`
  return existsSync(file) ? readFileSync(file, 'utf8') : child.spawnargs.join(' ')
}
