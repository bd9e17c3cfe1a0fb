import { createHmac } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { startTestApp, type TestApp, testEnvironment } from '../support/app.ts'
import { JOINED } from '../support/factories.ts'
import { runPosthorn } from '../support/posthorn-process.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import type { JsonServer } from './support/json-server.ts'
import { type OutpostTenant, startOutpostServer } from './support/outpost-server.ts'

const TOKEN = 'marker-of-the-token'
const SECRET = '3f1c09a7d5be42863f1c09a7d5be4286'
const STANDARD_SECRET = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD'

let folder: string
let tokenFile: string
let receiver: Receiver
let posthorn: TestApp
let outpost: JsonServer
let number = 0
/** The part of the uids that is of one test. */
let run: string

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'posthorn moving in '))
  tokenFile = path.join(folder, 'token')
  await writeFile(tokenFile, TOKEN)
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
  outpost = await startOutpostServer(TOKEN, tenants())
  receiver.clear()
  return () => outpost[Symbol.asyncDispose]()
})

/** Three tenants, so that the list has two pages. */
function tenants(): OutpostTenant[] {
  const example = { config: { url: 'https://example.com/hook' }, credentials: { secret: SECRET } }
  return [
    {
      id: `${run}-acme`,
      metadata: { name: 'Acme', plan: 'pro' },
      destinations: [
        {
          id: 'des_1',
          topics: [JOINED],
          metadata: { team: 'payments' },
          config: { url: receiver.url, custom_headers: '{"x-team":"events"}' },
          credentials: { secret: SECRET },
        },
        { id: 'des_2', ...example, topics: '*', disabled_at: '2026-01-31T12:00:00Z' },
        { id: 'des_3', type: 'aws_sqs', topics: ['*'], config: {}, credentials: { key: 'a' } },
        {
          id: 'des_4',
          topics: ['*'],
          filter: { data: { amount: { $gte: 100 } } },
          delivery_metadata: { 'app-id': 'mine' },
          config: { url: 'https://example.com/odd', custom_headers: 'no JSON' },
          credentials: { secret: 'some***********' },
        },
      ],
    },
    { id: `${run}-beta`, metadata: null, destinations: [] },
    {
      id: `${run}-standard`,
      destinations: [
        {
          id: 'des_5',
          topics: '*',
          config: { url: receiver.url },
          credentials: { secret: STANDARD_SECRET },
        },
      ],
    },
  ]
}

async function importFrom(...args: string[]) {
  const source = ['--url', `${outpost.url}/api/v1`, '--token-file', tokenFile]
  const result = await runPosthorn(['import-from', 'outpost', ...source, ...args, '--json'], {
    environment: testEnvironment(posthorn.database.url),
  })
  expect(result.stdout + result.stderr).not.toContain(TOKEN)
  const lines = result.stdout.split('\n').filter(Boolean)
  return { ...result, objects: lines.map((line) => JSON.parse(line)) }
}

async function publishTo(uid: string) {
  const { id } = await posthorn.database.prisma.organization.findUniqueOrThrow({ where: { uid } })
  await posthorn.services.publishEvents(id, [{ type: JOINED, data: { name: 'Ada' } }])
  return await receiver.arrival(1)
}

async function webhooksOf(uid: string) {
  return await posthorn.database.prisma.webhook.findMany({
    where: { organization: { uid }, deletedAt: null },
    orderBy: { uid: 'asc' },
  })
}

test('takes over tenants and their webhooks, disabled, and says what is lacking', async () => {
  const { code, objects, stderr } = await importFrom()
  expect([code, stderr]).toEqual([1, ''])
  expect(objects.map(({ name, outcome, enabled }) => [name, outcome, enabled])).toEqual([
    [`${run}-acme`, 'created', null],
    [`${run}-acme/des_1`, 'created', false],
    [`${run}-acme/des_2`, 'created', false],
    [`${run}-acme/des_3`, 'left_out', null],
    [`${run}-acme/des_4`, 'created', false],
    [`${run}-beta`, 'created', null],
    [`${run}-standard`, 'created', null],
    [`${run}-standard/des_5`, 'created', false],
  ])
  expect(objects[1].lacks).toEqual([])
  expect(objects[3].lacks[0]).toMatch(/aws_sqs/)
  const lacks = objects[4].lacks.join('\n')
  for (const part of [/secret/, /filter/, /app-id/, /custom headers/]) expect(lacks).toMatch(part)
  expect(outpost.asked.filter((one) => one.includes('next='))).toHaveLength(1)
  expect(await webhooksOf(`${run}-acme`)).toMatchObject([
    { uid: 'des_1', eventSubscriptions: [JOINED], metadata: { team: 'payments' } },
    { uid: 'des_2', eventSubscriptions: ['*'] },
    { uid: 'des_4', secondSignature: null },
  ])
})

test('the receiver goes on verifying the signature of Outpost, over the same body', async () => {
  const args = ['--tenant', `${run}-acme`, '--enable']
  const { objects } = await importFrom(...args)
  expect(objects.map(({ enabled }) => enabled)).toEqual([null, true, false, null, false])
  const { headers, body } = await publishTo(`${run}-acme`)
  expect(JSON.parse(body.toString())).toEqual({ name: 'Ada' })
  expect(headers).toMatchObject({
    'x-team': 'events',
    'x-outpost-event-id': expect.stringMatching(/^msg_/),
    'x-outpost-timestamp': expect.stringMatching(/^\d{10}$/),
  })
  const signature = createHmac('sha256', SECRET).update(body).digest('hex')
  expect(headers['x-outpost-signature']).toBe(`v0=${signature}`)
})

test('an Outpost with settings of its own signs by them', async () => {
  const prefix = ['--header-prefix', 'x-acme-', '--content', '{timestamp}.{body}']
  await importFrom(
    '--tenant',
    `${run}-acme`,
    '--enable',
    ...prefix,
    '--value',
    't={timestamp},v0={signature}',
  )
  const { headers, body } = await publishTo(`${run}-acme`)
  const timestamp = headers['x-acme-timestamp']
  const signature = createHmac('sha256', SECRET).update(`${timestamp}.${body}`).digest('hex')
  expect(headers['x-acme-signature']).toBe(`t=${timestamp},v0=${signature}`)
  expect((await importFrom('--tenant', `${run}-beta`, '--content', 'none')).code).toBe(0)
  const refused = await importFrom('--tenant', `${run}-standard`, '--content', 'none')
  expect(refused.objects[1].lacks[0]).toMatch(/must contain \{body\}/)
})

test('the standard mode has the names and the secret of Standard Webhooks', async () => {
  await importFrom('--tenant', `${run}-standard`, '--enable', '--mode', 'standard')
  const { headers, body } = await publishTo(`${run}-standard`)
  const given = Object.fromEntries(
    ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => [
      name,
      String(headers[name]),
    ]),
  )
  expect(new StandardWebhook(STANDARD_SECRET).verify(body.toString(), given)).toEqual({
    name: 'Ada',
  })
  const lacking = await importFrom('--tenant', `${run}-acme`, '--mode', 'standard', '--enable')
  expect(lacking.objects[1]).toMatchObject({
    enabled: false,
    lacks: [expect.stringMatching(/secret/)],
  })
})

test('a second run changes nothing, and a dry run writes nothing', async () => {
  const dry = await importFrom('--dry-run')
  expect(dry.objects.map(({ outcome }) => outcome)).toContain('created')
  expect(await webhooksOf(`${run}-acme`)).toEqual([])
  await importFrom()
  const before = await webhooksOf(`${run}-acme`)
  const { objects } = await importFrom()
  expect(new Set(objects.map(({ outcome }) => outcome))).toEqual(new Set(['existing', 'left_out']))
  expect(await webhooksOf(`${run}-acme`)).toEqual(before)
})

test('a server that cannot list tenants is told by name, and is asked again after 429', async () => {
  outpost.interfere = (at) =>
    at === '/api/v1/tenants' ? { status: 501, body: { error: 'list tenant not supported' } } : null
  const refused = await importFrom()
  expect(refused.stderr).toMatch(/501: this server cannot list; name what to import/)
  let refusals = 1
  outpost.interfere = () =>
    refusals-- > 0 ? { status: 429, headers: { 'retry-after': '1' } } : null
  expect(await importFrom('--tenant', `${run}-beta`)).toMatchObject({ code: 0, stderr: '' })
})
