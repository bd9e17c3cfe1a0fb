import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp, testEnvironment } from '../support/app.ts'
import { JOINED, TICKET } from '../support/factories.ts'
import { runPosthorn, startPosthorn } from '../support/posthorn-process.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { until } from '../support/until.ts'
import type { JsonServer } from './support/json-server.ts'
import { type SvixApplication, startSvixServer } from './support/svix-server.ts'

const TOKEN = 'testsk_marker-of-the-token.eu'

let folder: string
let receiver: Receiver
let posthorn: TestApp
let svix: JsonServer
let tokenFile: string
let number = 0
/** The part of the uids that is of one test. */
let run: string

const secretOf = () => `whsec_${randomBytes(24).toString('base64')}`
const SECRETS = [secretOf(), secretOf(), secretOf()] as const

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'posthorn moving in '))
  tokenFile = path.join(folder, 'token')
  await writeFile(tokenFile, `${TOKEN}\n`)
  receiver = await startReceiver()
  posthorn = await startTestApp({ trustedAuthorities: [receiver.authority] })
})
afterAll(async () => {
  await posthorn[Symbol.asyncDispose]()
  await receiver[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})
beforeEach(async () => {
  run = `r${++number}`
  svix = await startSvixServer(TOKEN, applications())
  return () => svix[Symbol.asyncDispose]()
})

/** Three applications, so that the list has two pages; the first has three endpoints. */
function applications(): SvixApplication[] {
  return [
    {
      id: `app_1${run}`,
      uid: `${run}-acme`,
      name: 'Acme',
      metadata: { plan: 'pro' },
      endpoints: [
        {
          id: `ep_1${run}`,
          uid: 'orders',
          url: receiver.url,
          description: 'Orders',
          filterTypes: [JOINED],
          metadata: { team: 'payments' },
          key: SECRETS[0],
          headers: { 'X-Team': 'events' },
          throttleRate: 50,
        },
        { id: `ep_2${run}`, url: 'https://example.com/all', disabled: true, key: SECRETS[1] },
        {
          id: `ep_3${run}`,
          url: 'https://example.com/ticket',
          filterTypes: [TICKET],
          key: SECRETS[2],
        },
      ],
    },
    {
      id: `app_2${run}`,
      name: 'Beta',
      endpoints: [
        {
          id: `ep_4${run}`,
          url: 'https://example.com/odd',
          channels: ['project_1'],
          key: 'whsk_1234',
          sensitive: ['Authorization'],
          transformation: { code: 'function handler(w) { return w }', enabled: true },
        },
        { id: `ep_5${run}`, url: 'http://example.com/plain', key: SECRETS[0] },
      ],
    },
    { id: `app_3${run}`, uid: `${run}-none`, name: 'None', endpoints: [] },
  ]
}

async function importFrom(...args: string[]) {
  const source = args.some((arg) => arg.endsWith('.json'))
    ? []
    : ['--url', svix.url, '--token-file', tokenFile]
  const result = await runPosthorn(['import-from', 'svix', ...source, ...args, '--json'], {
    environment: testEnvironment(posthorn.database.url),
  })
  expect(result.stdout + result.stderr).not.toContain('marker-of-the-token')
  const lines = result.stdout.split('\n').filter(Boolean)
  return { ...result, objects: lines.map((line) => JSON.parse(line)) }
}

async function webhooksOf(uid: string) {
  return await posthorn.database.prisma.webhook.findMany({
    where: { organization: { uid }, deletedAt: null },
    orderBy: { uid: 'asc' },
  })
}

describe('posthorn import-from svix', () => {
  test('takes over applications and endpoints, disabled, and says what is lacking', async () => {
    const { code, objects, stderr } = await importFrom()
    expect([code, stderr]).toEqual([1, ''])
    expect(objects.map(({ name, outcome, enabled }) => [name, outcome, enabled])).toEqual([
      [`${run}-acme`, 'created', null],
      [`${run}-acme/orders`, 'created', false],
      [`${run}-acme/ep_2${run}`, 'created', false],
      [`${run}-acme/ep_3${run}`, 'created', false],
      [`app_2${run}`, 'created', null],
      [`app_2${run}/ep_4${run}`, 'created', false],
      [`app_2${run}/ep_5${run}`, 'left_out', null],
      [`${run}-none`, 'created', null],
    ])
    expect(objects[1].lacks).toEqual([])
    const lacks = objects[5].lacks.join('\n')
    for (const part of [/secret/, /project_1/, /Authorization/, /transformation/]) {
      expect(lacks).toMatch(part)
    }
    expect(objects[6].lacks[0]).toMatch(/not HTTPS/)

    expect(await webhooksOf(`${run}-acme`)).toMatchObject([
      { uid: `ep_2${run}`, eventSubscriptions: ['*'], enabled: false },
      { uid: `ep_3${run}`, eventSubscriptions: [TICKET], enabled: false },
      {
        uid: 'orders',
        url: receiver.url,
        description: 'Orders',
        eventSubscriptions: [JOINED],
        metadata: { team: 'payments' },
        rateLimitPerSecond: 50,
        signatureHeaders: { id: 'svix-id' },
      },
    ])
    const acme = await posthorn.database.prisma.organization.findUnique({
      where: { uid: `${run}-acme` },
    })
    expect(acme).toMatchObject({ name: 'Acme', metadata: { plan: 'pro' } })
    // Two items a page: the list of three applications, and that of three endpoints, have a second page.
    expect(svix.asked.filter((one) => one.includes('iterator='))).toHaveLength(2)
  })

  test('the receiver goes on verifying with the library of the former sender, and gets the same body', async () => {
    await importFrom('--enable')
    const [, , webhook] = await webhooksOf(`${run}-acme`)
    expect(webhook?.enabled).toBe(true)
    expect((await webhooksOf(`app_2${run}`)).map(({ enabled }) => enabled)).toEqual([false])
    receiver.clear()
    const { organizationId = '' } = webhook ?? {}
    await posthorn.services.publishEvents(organizationId, [{ type: JOINED, data: { name: 'Ada' } }])
    const { headers, body } = await receiver.arrival(1)
    expect(headers['x-team']).toBe('events')
    const given = {
      'webhook-id': String(headers['svix-id']),
      'webhook-timestamp': String(headers['svix-timestamp']),
      'webhook-signature': String(headers['svix-signature']),
    }
    const verified = new StandardWebhook(SECRETS[0]).verify(body.toString(), given)
    expect(verified).toEqual({ name: 'Ada' })
    expect(() => new StandardWebhook(SECRETS[1]).verify(body.toString(), given)).toThrow()
  })

  test('a second run changes nothing, also after a change here', async () => {
    await importFrom()
    const [first] = await webhooksOf(`${run}-acme`)
    await posthorn.database.pool.query(
      `update posthorn.webhooks set description = 'Mine' where id = $1`,
      [first?.id],
    )
    const before = await webhooksOf(`${run}-acme`)
    const { objects } = await importFrom()
    expect(objects.map(({ outcome }) => outcome)).toEqual([
      ...['existing', 'existing', 'existing', 'existing', 'existing', 'existing'],
      'left_out',
      'existing',
    ])
    expect(await webhooksOf(`${run}-acme`)).toEqual(before)
  })

  test('a dry run says the same and writes nothing', async () => {
    const { code, objects } = await importFrom('--dry-run')
    expect(code).toBe(1)
    expect(objects.map(({ outcome }) => outcome)).toEqual([
      ...['created', 'created', 'created', 'created', 'created', 'created'],
      'left_out',
      'created',
    ])
    expect(objects.every(({ id }) => id === null)).toBe(true)
    expect(await webhooksOf(`${run}-acme`)).toEqual([])
    const where = { uid: `${run}-acme` }
    expect(await posthorn.database.prisma.organization.findUnique({ where })).toBeNull()
  })

  test('takes one application by its uid, and refuses one that is not there', async () => {
    const { objects } = await importFrom(
      '--application',
      `${run}-acme`,
      '--header-names',
      'posthorn',
    )
    expect(objects).toHaveLength(4)
    expect((await webhooksOf(`${run}-acme`))[0]?.signatureHeaders).toBeNull()
    const missing = await importFrom('--application', 'nobody')
    expect(missing).toMatchObject({ code: 1, objects: [] })
    expect(missing.stderr).toContain('There is no application nobody.')
  })

  test('creates the event types that the catalogue lacks only if it is told to', async () => {
    const file = path.join(folder, `${run}.json`)
    const endpoint = { id: 'ep', url: 'https://example.com/x', filterTypes: [`invoice.${run}`] }
    const application = {
      id: `app_${run}`,
      name: 'New',
      endpoints: [{ ...endpoint, secret: { key: SECRETS[0] } }],
    }
    await writeFile(file, JSON.stringify({ applications: [application] }))
    const refused = await importFrom(file)
    expect(refused.code).toBe(1)
    expect(refused.objects[1].lacks[0]).toContain(`no event type "invoice.${run}"`)
    expect((await importFrom(file, '--create-event-types', '--dry-run')).objects).toMatchObject([
      { kind: 'event_type', name: `invoice.${run}`, outcome: 'created' },
      { outcome: 'existing' },
      { kind: 'webhook', outcome: 'created', id: null },
    ])
    const created = await importFrom(file, '--create-event-types')
    expect(created.code).toBe(0)
    expect(created.objects[2]).toMatchObject({ outcome: 'created', lacks: [] })
    expect(await webhooksOf(`app_${run}`)).toMatchObject([
      { eventSubscriptions: [`invoice.${run}`] },
    ])
  })

  test('saves what the API answered, for its owner only, and imports the file', async () => {
    const file = path.join(folder, `saved-${run}.json`)
    const saved = await runPosthorn(
      [
        'import-from',
        'svix',
        '--url',
        svix.url,
        '--token-file',
        tokenFile,
        '--dry-run',
        '--save',
        file,
      ],
      { environment: testEnvironment(posthorn.database.url) },
    )
    expect(saved.stdout).toContain('would create webhook')
    expect((await stat(file)).mode & 0o077).toBe(0)
    const source = ['--url', svix.url, '--token-file', tokenFile]
    const again = await importFrom('--save', file, ...source)
    expect(again).toMatchObject({ code: 1, objects: [] })
    expect(again.stderr).toMatch(/--save: .* Name a file that does not exist/)
    expect(await readFile(file, 'utf8')).toContain(SECRETS[0])
    const { objects } = await importFrom(file)
    expect(objects[1]).toMatchObject({ name: `${run}-acme/orders`, outcome: 'created' })
  })
})

describe('an API that fails', () => {
  test('is asked again after 429 with Retry-After, 503 and an answer that is cut short', async () => {
    const answers = [
      { status: 429, headers: { 'retry-after': '1' } },
      { status: 503 },
      { body: '{"data": [' },
    ]
    svix.interfere = (at) => (at === '/api/v1/app' ? (answers.shift() ?? null) : null)
    const { objects } = await importFrom()
    expect(objects).toHaveLength(8)
    expect(answers).toEqual([])
  })

  test.each([
    ['refuses the token', { status: 401 }, /answered with 401: give another token/],
    ['answers with something else', { body: { items: [] } }, /answered without a list/],
    ['redirects', { status: 302, headers: { location: 'https://example.com' } }, /with 302/],
    [
      'has a list without end',
      { body: { data: [], iterator: 'same', done: false } },
      /names the same next page again/,
    ],
  ])('and %s ends the import with a reason', async (_name, answer, reason) => {
    svix.interfere = () => answer
    const { code, stderr, objects } = await importFrom()
    expect([code, objects]).toEqual([1, []])
    expect(stderr).toMatch(reason)
  })

  test('is not asked without TLS, or without a token', async () => {
    const { stderr } = await importFrom('--url', 'http://api.svix.example')
    expect(stderr).toContain('is not the https:// URL of an API')
    const missing = await importFrom('--token-file', path.join(folder, 'missing'))
    expect(missing.stderr).toContain('cannot be read (ENOENT)')
    await writeFile(path.join(folder, 'empty'), '')
    const empty = await importFrom('--token-file', path.join(folder, 'empty'))
    expect(empty.stderr).toContain('the token is empty')
  })

  test('leaves out an application of another form, and goes on', async () => {
    const file = path.join(folder, `broken-${run}.json`)
    const broken = { id: 'app_x', endpoints: [{ id: 'ep_x' }] }
    const whole = { id: `app_y${run}`, endpoints: [] }
    await writeFile(file, JSON.stringify({ applications: [broken, whole] }))
    const { code, objects } = await importFrom(file)
    expect(code).toBe(1)
    expect(objects).toMatchObject([
      { name: 'app_x', outcome: 'left_out' },
      { name: `app_y${run}`, outcome: 'created' },
    ])
    expect(objects[0].lacks[0]).toContain('url is required')
  })
})

test('an import that is killed is completed by the next one', async () => {
  // The second application never comes.
  svix.interfere = (at) =>
    at.startsWith(`/api/v1/app/app_2${run}`)
      ? { status: 503, headers: { 'retry-after': '60' } }
      : null
  const args = ['import-from', 'svix', '--url', svix.url, '--token-file', tokenFile, '--json']
  await using killed = startPosthorn(args, { environment: testEnvironment(posthorn.database.url) })
  const asked = () => svix.asked.some((one) => one.startsWith(`/api/v1/app/app_2${run}`))
  await until(
    () => asked() && killed.stdout.includes(`ep_3${run}`),
    'the first application is imported',
  )
  killed.child.kill('SIGKILL')
  await killed.ended
  expect(await webhooksOf(`${run}-acme`)).toHaveLength(3)

  svix.interfere = () => null
  const { objects } = await importFrom()
  expect(objects.map(({ outcome }) => outcome)).toEqual([
    ...['existing', 'existing', 'existing', 'existing'],
    ...['created', 'created', 'left_out', 'created'],
  ])
  expect(await webhooksOf(`${run}-acme`)).toHaveLength(3)
})
