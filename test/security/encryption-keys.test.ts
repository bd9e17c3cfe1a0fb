import { randomBytes } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { SYSTEM } from '../../src/auth/access/actor.ts'
import { createKeyring } from '../../src/auth/encryption/keyring.ts'
import { reencryptStoredSecrets } from '../../src/auth/encryption/stored-secrets.ts'
import type { Sql } from '../../src/db/client.ts'
import { mintId, parseId } from '../../src/db/ids.ts'
import { createAddressGuard } from '../../src/outbound/public-address.ts'
import { createWebhook, updateWebhook } from '../../src/webhooks/save-webhook.ts'
import { revealSigningSecret } from '../../src/webhooks/signing-secret.ts'
import { getWebhook } from '../../src/webhooks/webhook.ts'
import { runCommand } from '../cli/run-command.ts'
import { createApiKey } from '../support/api-keys.ts'
import { startTestApp, testEnvironment } from '../support/app.ts'
import { createTenant, JOINED } from '../support/factories.ts'
import { useFreshDatabase } from '../support/fresh-database.ts'
import { runPosthorn } from '../support/posthorn-process.ts'
import { startReceiver } from '../support/receiver.ts'
import { until } from '../support/until.ts'

const [oldKey, newKey] = [randomBytes(32), randomBytes(32)]

let organizationId: string
const database = useFreshDatabase()

beforeEach(async () => {
  organizationId = (await createTenant(database.prisma)).organizationId
})

function depsWith(...keys: Buffer[]) {
  const { prisma } = database
  return { prisma, keyring: createKeyring(keys), guard: createAddressGuard([]), actor: SYSTEM }
}

const hook = (headers: Record<string, string> = { 'X-Key': 'abc' }) => ({
  url: 'https://example.com/',
  eventSubscriptions: [JOINED],
  headers,
})

function environmentWith(...keys: Buffer[]) {
  const list = keys.map((key) => key.toString('base64')).join(',')
  return { ...testEnvironment(database.url), POSTHORN_ENCRYPTION_KEYS: list }
}

describe('posthorn key rotate-encryption', () => {
  const rotate = (...options: string[]) =>
    runCommand(['key', 'rotate-encryption', ...options], environmentWith(newKey, oldKey))

  test('makes the old key removable and reports so', async () => {
    const { id } = await createWebhook(depsWith(oldKey), organizationId, hook())
    const { key: secret } = await revealSigningSecret(depsWith(oldKey), organizationId, id)
    const revision = await revisionOf(id)

    const { code, stdout } = await rotate('--json')
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({
      reencrypted: { signing_secrets: 1, webhook_headers: 1 },
      unreadable: { signing_secrets: [], webhook_headers: [] },
      old_keys_removable: true,
    })
    const after = depsWith(newKey)
    expect((await getWebhook(after, organizationId, id)).headers).toEqual({ 'X-Key': 'abc' })
    expect((await revealSigningSecret(after, organizationId, id)).key).toBe(secret)
    // The webhook itself is unchanged, so caches stay valid.
    expect(await revisionOf(id)).toBe(revision)

    const again = await rotate()
    expect(again.stdout).toContain('signing secrets: 0 re-encrypted')
    expect(again.stdout).toMatch(/you can remove the others from POSTHORN_ENCRYPTION_KEYS/)
  })

  test('keeps the stored responses of idempotency keys with any characters', async () => {
    const old = environmentWith(oldKey)
    const scopes = ['webhooks:write']
    const { token } = await createApiKey(database.prisma, { organizationId, scopes })
    const call = {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'idempotency-key': `k"\\'${'x'.repeat(200)}`,
      },
      body: JSON.stringify({ url: 'https://example.com/hook', event_subscriptions: [JOINED] }),
    }
    const create = async (environment: Record<string, string>) => {
      await using posthorn = await startTestApp({ role: 'api', database, environment })
      return await (await fetch(`${posthorn.app.url}/api/connect/v1/webhooks`, call)).json()
    }
    const answer = await create({ POSTHORN_ENCRYPTION_KEYS: old.POSTHORN_ENCRYPTION_KEYS })
    const keyring = createKeyring([newKey, oldKey])
    const [, , answers] = await reencryptStoredSecrets(database.pool, keyring)
    expect(answers).toMatchObject({ reencrypted: 1, unreadable: [] })
    const { POSTHORN_ENCRYPTION_KEYS } = environmentWith(newKey)
    expect(await create({ POSTHORN_ENCRYPTION_KEYS })).toEqual(answer)
  })

  test('continues after an interruption', async () => {
    const count = 1_200
    const { id } = await createWebhook(depsWith(oldKey), organizationId, hook({}))
    const webhookId = parseId('webhook', id) as string
    const old = createKeyring([oldKey])
    const secrets = Array.from({ length: count }, () => {
      const secretId = parseId('signingSecret', mintId('signingSecret')) as string
      const keyCiphertext = old.encrypt(Buffer.from(secretId), secretId)
      return { id: secretId, webhookId, keyCiphertext, expiresAt: new Date(Date.now() + 60_000) }
    })
    await database.prisma.signingSecret.createMany({ data: secrets })
    const keyring = createKeyring([newKey, oldKey])
    let statements = 0
    const interrupted = {
      query: (...args: Parameters<typeof database.pool.query>) => {
        statements += 1
        if (statements > 3) throw new Error('interrupted')
        return database.pool.query(...args)
      },
    } as Sql
    await expect(reencryptStoredSecrets(interrupted, keyring)).rejects.toThrow('interrupted')
    const [rest] = await reencryptStoredSecrets(database.pool, keyring)
    // The first 500 rows were updated; the second page was read but not updated.
    expect(rest).toMatchObject({ reencrypted: count + 1 - 500, unreadable: [] })
    const [again] = await reencryptStoredSecrets(database.pool, createKeyring([newKey]))
    expect(again).toMatchObject({ reencrypted: 0, unreadable: [] })
  })

  test('loses no concurrent change', async () => {
    const running = depsWith(newKey, oldKey)
    const ids: string[] = []
    for (let i = 0; i < 20; i++) {
      ids.push((await createWebhook(depsWith(oldKey), organizationId, hook())).id)
    }
    const changes = ids.map((id, i) =>
      updateWebhook(running, organizationId, id, { headers: { 'X-Key': `changed ${i}` } }),
    )
    const rotation = reencryptStoredSecrets(database.pool, running.keyring)
    await Promise.all([rotation, ...changes])
    await reencryptStoredSecrets(database.pool, running.keyring)
    for (const [i, id] of ids.entries()) {
      const { headers } = await getWebhook(depsWith(newKey), organizationId, id)
      expect(headers).toEqual({ 'X-Key': `changed ${i}` })
    }
  })

  test('lists the rows that no key decrypts, reencrypts the others, and reports that the keys are still needed', async () => {
    const { id: damaged } = await createWebhook(depsWith(oldKey), organizationId, hook())
    const { id: sound } = await createWebhook(depsWith(oldKey), organizationId, hook())
    await damage(damaged)
    const { code, stdout } = await rotate('--json')
    expect(code).toBe(1)
    expect(JSON.parse(stdout)).toMatchObject({
      reencrypted: { webhook_headers: 1, signing_secrets: 2 },
      unreadable: { webhook_headers: [parseId('webhook', damaged)] },
      old_keys_removable: false,
    })
    expect((await getWebhook(depsWith(newKey), organizationId, sound)).headers).toEqual({
      'X-Key': 'abc',
    })
  })
})

test('the start fails if the key of some secrets is missing, with the remedy', async () => {
  await createWebhook(depsWith(newKey), organizationId, hook())
  await createWebhook(depsWith(oldKey), organizationId, hook())
  const { code, stderr } = await runPosthorn(['start'], { environment: environmentWith(newKey) })
  expect(code).toBe(1)
  expect(stderr).toMatch(
    /^error: POSTHORN_ENCRYPTION_KEYS lacks the key that 2 of 4 stored secrets were encrypted with\. Add it/,
  )
  expect(stderr).not.toContain(newKey.toString('base64'))
})

test('undecryptable headers of one webhook fail its own deliveries only, with an error', async () => {
  await using receiver = await startReceiver()
  await using posthorn = await startTestApp({
    database,
    trustedAuthorities: [receiver.authority],
    environment: { POSTHORN_RETRY_SCHEDULE: '100ms' },
  })
  const create = async () => {
    const hook = { url: receiver.url, enabled: true, event_subscriptions: [JOINED] }
    const created = await posthorn.rest('POST', '/webhooks', { ...hook, headers: { a: 'b' } })
    return (await created.json()).id
  }
  const [damaged, sound] = [await create(), await create()]
  await damage(damaged)
  const { services, tenant } = posthorn
  await services.publishEvents(tenant.organizationId, [{ type: JOINED, data: {} }])
  await receiver.arrival(1)

  const query = `query ($id: ID!) { webhook(id: $id) { headerNames deliveries { nodes {
    state attempts { nodes { error errorCode } } } } } }`
  const read = async () => (await posthorn.graphql(query, { id: damaged })).webhook
  await until(
    async () => (await read()).deliveries.nodes[0].state === 'EXHAUSTED',
    'the delivery is exhausted',
  )
  const { headerNames, deliveries } = await read()
  expect(headerNames).toEqual(['(unreadable)'])
  const failed = {
    errorCode: 'secret_unreadable',
    error: expect.stringContaining('cannot decrypt'),
  }
  expect(deliveries.nodes[0].attempts.nodes).toEqual([failed, failed])
  expect(receiver.received).toHaveLength(1)

  const listed = await posthorn.rest('GET', '/webhooks')
  expect(await listed.json()).toMatchObject([
    { id: damaged, headers: { '(unreadable)': '(unreadable)' } },
    { id: sound, headers: { a: 'b' } },
  ])

  // A PUT of the placeholder is rejected; new headers repair the webhook.
  const placeholder = { headers: { '(unreadable)': '(unreadable)' } }
  expect((await posthorn.rest('PUT', `/webhooks/${damaged}`, placeholder)).status).toBe(422)
  const repaired = await posthorn.rest('PUT', `/webhooks/${damaged}`, { headers: { a: 'new' } })
  expect(repaired.status).toBe(200)
})

async function damage(webhookId: string): Promise<void> {
  await database.pool.query(
    `update posthorn.webhooks
     set headers_ciphertext = set_byte(headers_ciphertext, 40, get_byte(headers_ciphertext, 40) # 1) where id = $1`,
    [parseId('webhook', webhookId)],
  )
}

async function revisionOf(webhookId: string): Promise<string> {
  const { rows } = await database.pool.query(
    'select revision from posthorn.webhooks where id = $1',
    [parseId('webhook', webhookId)],
  )
  return rows[0].revision
}
