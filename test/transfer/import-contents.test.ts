import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { SYSTEM } from '../../src/access/actor.ts'
import { createAuthenticate } from '../../src/api-keys/authenticate.ts'
import { parseId, publicId } from '../../src/db/ids.ts'
import { updateEventType } from '../../src/event-types/edit-event-type.ts'
import { countsOf, importContents } from '../../src/transfer/import-contents.ts'
import { listSigningSecrets, rotateSigningSecret } from '../../src/webhooks/signing-secret.ts'
import { createWebhook, deleteWebhook, updateWebhook } from '../../src/webhooks/webhook.ts'
import { JOINED, TICKET } from '../support/factories.ts'
import {
  configure,
  createInstallation,
  exported,
  type Installation,
} from './support/installation.ts'

let source: Installation
let target: Installation
let made: Awaited<ReturnType<typeof configure>>

beforeEach(async () => {
  ;[source, target] = await Promise.all([createInstallation(), createInstallation()])
  made = await configure(source)
})
afterEach(async () => {
  await Promise.all([source[Symbol.asyncDispose](), target[Symbol.asyncDispose]()])
})

const NOTHING = { organizations: 0, eventTypes: 0, webhooks: 0, apiKeys: 0 }

describe('an import into a fresh installation', () => {
  test('creates everything with the same ids, times, secrets and settings', async () => {
    const contents = await exported(source)
    expect(countsOf(contents)).toEqual({ organizations: 2, eventTypes: 4, webhooks: 2, apiKeys: 3 })
    expect(await importInto(target, contents)).toEqual({
      created: { organizations: 2, eventTypes: 2, webhooks: 2, apiKeys: 3 },
      replacedEventTypes: 0,
      unchanged: { ...NOTHING, eventTypes: 2 },
      differences: [],
    })
    const { eventTypes, ...others } = await target.contents()
    const { eventTypes: exportedTypes, ...exportedOthers } = contents
    expect(others).toEqual(exportedOthers)
    const own = (types: typeof eventTypes) => types.filter(({ name }) => name.startsWith('order.'))
    expect(own(eventTypes)).toEqual(own(exportedTypes))
    // The order of keys too.
    expect(JSON.stringify(own(eventTypes))).toBe(JSON.stringify(own(exportedTypes)))
  })

  test('keeps tokens valid, also their expiry, and revoked ones revoked; sessions end', async () => {
    await importInto(target, await exported(source))
    const authenticate = createAuthenticate(target.database.pool)
    const { limited, operator, revoked, sessionToken, fair } = made
    expect(await authenticate(`Bearer ${limited.token}`)).toMatchObject({
      organizationId: fair.id,
      limits: { requestsPerSecond: 5, eventsPerSecond: 6, deliveriesPerSecond: 7 },
      expiresAt: limited.key.expiresAt,
    })
    expect((await authenticate(`Bearer ${operator.token}`)).scopes).toContain('admin')
    await expect(authenticate(`Bearer ${revoked.token}`)).rejects.toThrow('is revoked')
    await expect(authenticate(`Bearer ${sessionToken}`)).rejects.toThrow('is unknown')
  })

  test('encrypts the secrets with the key there, current and rotated ones', async () => {
    await importInto(target, await exported(source))
    const secretsOf = ({ deps }: Installation) =>
      listSigningSecrets(deps, made.fair.id, made.full.id)
    expect(await secretsOf(target)).toHaveLength(2)
    expect(await secretsOf(target)).toEqual(await secretsOf(source))
    const { rows } = await target.database.pool.query(
      `select distinct substring(key_ciphertext for 5) as prefix from posthorn.signing_secrets`,
    )
    expect(rows).toEqual([{ prefix: Buffer.from(target.keyring.prefixes[0] as Uint8Array) }])
  })

  test('leaves events, deliveries, and deleted webhooks where they are', async () => {
    await importInto(target, await exported(source))
    for (const table of ['events', 'deliveries', 'webhook_schedules', 'sessions']) {
      expect(await countIn(target, table), table).toBe(0)
    }
    expect(await countIn(source, 'deliveries')).toBe(1)
    expect(await countIn(target, 'webhooks')).toBe(2)
  })

  test('writes an audit entry for each object, without a secret', async () => {
    await importInto(target, await exported(source))
    const entries = await auditLog(target)
    expect(entries.map(({ action }) => action).sort()).toEqual([
      ...Array(3).fill('api_key.created'),
      ...Array(2).fill('event_type.created'),
      ...Array(2).fill('organization.created'),
      ...Array(2).fill('webhook.created'),
    ])
    expect(new Set(entries.map(({ source }) => source))).toEqual(new Set(['cli']))
    const webhook = entries.find(({ subject_id }) => subject_id === made.full.id)
    expect(webhook).toMatchObject({
      organization_id: made.fair.id,
      after: { url: made.full.url, headers: { 'X-Key': '•••', authorization: '•••' } },
    })
    expect(JSON.stringify(entries)).not.toMatch(/whsec_|value of a header|xyz/)
  })
})

test('the export itself is audited in each organization: whose secrets and headers were read', async () => {
  const before = await auditLog(source)
  await exported(source)
  const entries = (await auditLog(source)).slice(before.length)
  expect(entries.map(({ action, subject_id, after }) => [action, subject_id, after])).toEqual([
    ['signing_secret.revealed', made.full.id, null],
    ['custom_headers.revealed', made.full.id, { headers: ['X-Key', 'authorization'] }],
    ['signing_secret.revealed', made.plain.id, null],
  ])
})

test('an import of an export changes nothing: in the same installation, and a second time', async () => {
  const contents = await exported(source)
  await importInto(target, contents)
  for (const installation of [source, target]) {
    const before = await everything(installation)
    const { created, unchanged, differences } = await importInto(installation, contents)
    expect([created, unchanged, differences]).toEqual([NOTHING, countsOf(contents), []])
    expect(await everything(installation)).toEqual(before)
  }
})

test('only what is missing is created', async () => {
  await importInto(target, await exported(source))
  const added = await createWebhook(source.deps, made.fair.id, {
    url: 'https://example.com/added',
    eventSubscriptions: [JOINED],
  })
  const { created } = await importInto(target, await exported(source))
  expect(created).toEqual({ ...NOTHING, webhooks: 1 })
  expect((await target.contents()).webhooks.map(({ id }) => id)).toContain(added.id)
})

describe('what exists with other values', () => {
  beforeEach(async () => {
    await importInto(target, await exported(source))
  })

  test('is reported field by field with masked secrets, and nothing is written', async () => {
    const { fair, full, plain, limited } = made
    await updateWebhook(source.deps, fair.id, full.id, { headers: { 'X-Key': 'another value' } })
    await rotateSigningSecret(source.deps, fair.id, plain.id)
    await updateWebhook(source.deps, fair.id, plain.id, { url: 'https://example.com/moved' })
    await createWebhook(source.deps, fair.id, { ...HOOK })
    await target.database.prisma.apiKey.update({
      where: { id: limited.key.id },
      data: { revokedAt: new Date() },
    })
    const before = await everything(target)
    const { differences } = await importInto(target, await exported(source))
    expect(differences).toEqual([
      {
        id: full.id,
        field: 'headers',
        file: { 'X-Key': '•••' },
        database: { 'X-Key': '•••', authorization: '•••' },
      },
      {
        id: plain.id,
        field: 'url',
        file: 'https://example.com/moved',
        database: 'https://example.com/plain',
      },
      { id: plain.id, field: 'signingSecrets', file: '•••', database: '•••' },
      {
        id: publicId('apiKey', limited.key.id),
        field: 'revokedAt',
        file: null,
        database: 'revoked',
      },
    ])
    expect(await everything(target)).toEqual(before)
  })

  test('an event type that somebody changed is a difference', async () => {
    await updateEventType(target.database.prisma, 'order.paid', { description: 'Changed.' }, SYSTEM)
    await updateEventType(target.database.prisma, JOINED, { description: 'Changed.' }, SYSTEM)
    const { differences } = await importInto(target, await exported(source))
    expect(differences.map(({ id, field }) => [id, field])).toEqual([
      [JOINED, 'description'],
      ['order.paid', 'description'],
    ])
  })

  test('a webhook that was deleted there does not come back', async () => {
    await deleteWebhook(target.deps, made.fair.id, made.plain.id)
    const { differences } = await importInto(target, await exported(source))
    expect(differences).toEqual([
      { id: made.plain.id, field: 'deleted', file: false, database: true },
    ])
  })

  test('a uid that another object has is a difference, not an error of Postgres', async () => {
    const contents = await exported(source)
    await importInto(target, contents)
    const other = await createWebhook(target.deps, made.fair.id, {
      url: 'https://example.com/other',
      eventSubscriptions: [TICKET],
    })
    await updateWebhook(target.deps, made.fair.id, made.full.id, { uid: null })
    await updateWebhook(target.deps, made.fair.id, other.id, { uid: 'orders' })
    await target.database.pool.query('delete from posthorn.webhooks where id = $1', [
      parseId('webhook', made.full.id),
    ])
    const { differences } = await importInto(target, contents)
    expect(differences).toEqual([
      { id: made.full.id, field: 'id of the uid', file: made.full.id, database: other.id },
    ])
  })

  test('a token that another key has is a difference, not an error of Postgres', async () => {
    const contents = await exported(source)
    const uuid = parseId('apiKey', contents.apiKeys[0]?.id as string) as string
    await target.database.pool.query('update posthorn.api_keys set id = $2 where id = $1', [
      uuid,
      '0190aaaa-0000-7000-8000-000000000000',
    ])
    const { differences } = await importInto(target, contents)
    expect(differences).toEqual([
      {
        id: publicId('apiKey', uuid),
        field: 'id of the token',
        file: publicId('apiKey', uuid),
        database: publicId('apiKey', '0190aaaa-0000-7000-8000-000000000000'),
      },
    ])
  })

  test('an old secret that expired after the export is no difference', async () => {
    const contents = await exported(source)
    await target.database.pool.query(
      `update posthorn.signing_secrets set expires_at = now() where expires_at is not null`,
    )
    const webhooks = contents.webhooks.map((webhook) => ({
      ...webhook,
      signingSecrets: webhook.signingSecrets.map((secret) => ({
        ...secret,
        expiresAt: secret.expiresAt && new Date(Date.now() - 1_000).toISOString(),
      })),
    }))
    expect(await importInto(target, { ...contents, webhooks })).toMatchObject({ differences: [] })
  })
})

test('event types of a fresh installation give way to those of the file, which publishers notice', async () => {
  const { prisma } = source.database
  const fields = { description: 'Our own text.', searchKeys: ['$.id'], group: 'Attendees' }
  const changes = { ...fields, schema: { type: 'object', title: 'Attendee' } }
  await updateEventType(prisma, JOINED, changes, SYSTEM)
  const { replacedEventTypes, unchanged } = await importInto(target, await exported(source))
  expect([replacedEventTypes, unchanged.eventTypes]).toEqual([1, 1])
  const replaced = await target.database.prisma.eventType.findUniqueOrThrow({
    where: { name: JOINED },
  })
  expect(replaced).toMatchObject({ ...changes, revision: 2n, version: 2 })
  const versions = await target.database.prisma.eventTypeVersion.findMany({
    where: { eventTypeName: JOINED },
    orderBy: { version: 'asc' },
  })
  expect(versions).toMatchObject([{ version: 1 }, { version: 2, schema: changes.schema }])
})

test('with --disabled every webhook is disabled, also in a second import; enabling one is a difference', async () => {
  const contents = await exported(source)
  const disabled = { disabled: true }
  expect((await importInto(target, contents, disabled)).created.webhooks).toBe(2)
  expect((await target.contents()).webhooks.map(({ enabled }) => enabled)).toEqual([false, false])
  expect(await importInto(target, contents, disabled)).toMatchObject({
    created: NOTHING,
    differences: [],
  })
  expect((await importInto(target, contents)).differences).toEqual([
    { id: made.full.id, field: 'enabled', file: true, database: false },
  ])
})

test('with --check nothing is written, and the result is that of the import', async () => {
  const contents = await exported(source)
  const before = await everything(target)
  const checked = await importInto(target, contents, { checkOnly: true })
  expect(await everything(target)).toEqual(before)
  expect(await importInto(target, contents)).toEqual(checked)
})

test('two imports at once write everything once', async () => {
  const contents = await exported(source)
  const results = await Promise.all([importInto(target, contents), importInto(target, contents)])
  expect(results.map(({ created }) => created.webhooks).sort()).toEqual([0, 2])
})

test('a failure in the middle writes nothing', async () => {
  const contents = await exported(source)
  const before = await everything(target)
  const [apiKey] = contents.apiKeys
  // A rule that only Postgres has.
  const apiKeys = [...contents.apiKeys, { ...apiKey, id: made.fair.id, tokenHash: 'ab' }]
  await expect(importInto(target, { ...contents, apiKeys } as typeof contents)).rejects.toThrow()
  expect(await everything(target)).toEqual(before)
})

test('webhooks get the first version of their bodies', async () => {
  await importInto(target, await exported(source))
  const find = async ({ database }: Installation) => {
    const bodies = await database.prisma.webhookBody.findMany({ orderBy: { webhookId: 'asc' } })
    return bodies.map(({ id: _id, createdAt: _createdAt, ...body }) => body)
  }
  const bodies = await find(target)
  expect(bodies).toEqual(await find(source))
  expect(bodies).toMatchObject([
    { version: 1, selection: '{ id ... on OrderPaid { data } }', plan: expect.any(String) },
    { version: 1, template: '{"text": "{{ event.type }}"}' },
  ])
})

test('a selection that the catalogue there does not have is an error that names the webhook', async () => {
  const contents = await exported(source)
  const before = await everything(target)
  const webhooks = contents.webhooks.map((webhook) =>
    webhook.selection === null
      ? webhook
      : { ...webhook, selection: '{ ... on OrderPaid { lost } }' },
  )
  await expect(importInto(target, { ...contents, webhooks })).rejects.toThrow(
    /^The file cannot be imported:\nwebhook wh_\w+: selection is invalid at line 1, column \d+: .*"lost"/,
  )
  expect(await everything(target)).toEqual(before)
})

test('an organization cannot get more webhooks than POSTHORN_MAX_WEBHOOKS', async () => {
  const contents = await exported(source)
  await expect(importInto(target, contents, { maxWebhooks: 1 })).rejects.toThrow(
    /org_\w+ would have 2 webhooks, and may have 1\. .*POSTHORN_MAX_WEBHOOKS/,
  )
  expect(await countIn(target, 'organizations')).toBe(0)
  expect(await importInto(target, contents, { maxWebhooks: 2 })).toMatchObject({ differences: [] })
})

test('while somebody publishes and edits, an import waits for no one and nobody waits for it', async () => {
  await importInto(target, await exported(source))
  await createWebhook(source.deps, made.fair.id, { ...HOOK })
  const editor = await target.database.pool.connect()
  try {
    await editor.query('begin')
    await editor.query('select from posthorn.webhooks for update')
    await editor.query('select from posthorn.organizations for no key update')
    await editor.query('select from posthorn.event_types for update')
    expect((await importInto(target, await exported(source))).created.webhooks).toBe(1)
  } finally {
    await editor.query('rollback')
    editor.release()
  }
})

test('a secret that no key decrypts fails the export with the webhook and the remedy', async () => {
  const stranger = await createInstallation()
  await using _stranger = stranger
  await expect(exported({ ...source, keyring: stranger.keyring })).rejects.toThrow(
    new RegExp(
      `POSTHORN_ENCRYPTION_KEYS decrypts the secrets of ${made.full.id}, ${made.plain.id}`,
    ),
  )
})

test('more webhooks than a page of rows are all exported and imported', async () => {
  await source.database.pool.query(
    `insert into posthorn.organizations (name) select 'Organization ' || i from generate_series(1, 2100) as i`,
  )
  await importInto(target, await exported(source))
  expect(await countIn(target, 'organizations')).toBe(2102)
})

const HOOK = { url: 'https://example.com/hook', eventSubscriptions: [TICKET] }

function importInto(
  { database, keyring }: Installation,
  ...[contents, options]: [
    Parameters<typeof importContents>[2],
    Parameters<typeof importContents>[3]?,
  ]
) {
  return importContents(database.pool, keyring, contents, options)
}

async function countIn({ database }: Installation, table: string): Promise<number> {
  const { rows } = await database.pool.query(`select count(*)::int as count from posthorn.${table}`)
  return rows[0].count
}

async function auditLog({ database }: Installation) {
  const { rows } = await database.pool.query('select * from posthorn.audit_log order by id')
  return rows
}

/** Every row of the tables that an import writes, with all columns. */
async function everything({ database }: Installation) {
  const tables = [
    'organizations',
    'event_types',
    'webhooks',
    'signing_secrets',
    'api_keys',
    'audit_log',
  ]
  const results = await Promise.all(
    tables.map((table) => database.pool.query(`select * from posthorn.${table} order by 1`)),
  )
  return results.map(({ rows }) => rows)
}
