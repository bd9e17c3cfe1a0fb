import { spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { SYSTEM } from '../../src/access/actor.ts'
import type { Database } from '../../src/db/client.ts'
import { mintId } from '../../src/db/ids.ts'
import { deleteOrganization } from '../../src/organizations/deletion/delete-organization.ts'
import { forgetDeleted } from '../../src/test-receiver/forget-deleted.ts'
import { openOnLastPort } from '../../src/test-receiver/open-on-last-port.ts'
import {
  addRequest,
  type Inbox,
  inboxOf,
  MAX_BODY_BYTES,
  MAX_BYTES,
  MAX_REQUESTS,
  type ReceivedRequest,
} from '../../src/test-receiver/received-requests.ts'
import { createTestDatabase } from '../support/database.ts'
import { createTenant } from '../support/factories.ts'
import { openReceiver, receiverOptions } from './open-receiver.ts'

let number = 0

function received(fields: Partial<ReceivedRequest> = {}): ReceivedRequest {
  number += 1
  return {
    number,
    receivedAt: new Date(),
    deliveryId: null,
    webhookId: null,
    headers: [],
    body: '{}',
    bodyTruncated: false,
    signatureIsValid: true,
    signatureProblem: null,
    status: null,
    ...fields,
  }
}

const bodiesOf = ({ requests }: Inbox) => requests.map(({ body }) => body)

describe('an inbox', () => {
  test('keeps the last 100 requests', () => {
    const inboxes = new Map<string, Inbox>()
    const inbox = inboxOf(inboxes, 'a')
    for (let i = 1; i <= MAX_REQUESTS + 5; i++)
      addRequest(inboxes, inbox, received({ body: `${i}` }))
    expect(bodiesOf(inbox)).toHaveLength(MAX_REQUESTS)
    expect([bodiesOf(inbox)[0], bodiesOf(inbox).at(-1)]).toEqual(['105', '6'])
  })

  test('loses no delivery to requests that Posthorn did not sign', () => {
    const inboxes = new Map<string, Inbox>()
    const inbox = inboxOf(inboxes, 'a')
    addRequest(inboxes, inbox, received({ body: 'genuine' }))
    const forged = received({ body: 'forged', signatureIsValid: false })
    for (let i = 0; i < 300; i++) addRequest(inboxes, inbox, forged)
    expect(bodiesOf(inbox)).toHaveLength(MAX_REQUESTS)
    expect(bodiesOf(inbox)).toContain('genuine')
  })

  test('loses no request to a larger one when all together reach their limit', () => {
    const inboxes = new Map<string, Inbox>()
    const small = inboxOf(inboxes, 'small')
    addRequest(inboxes, small, received())
    const body = 'x'.repeat(MAX_BODY_BYTES)
    const large = ['b', 'c', 'd', 'e', 'f'].map((name) => inboxOf(inboxes, name))
    for (const inbox of large) {
      for (let i = 0; i < MAX_REQUESTS; i++) addRequest(inboxes, inbox, received({ body }))
    }
    expect(small.requests).toHaveLength(1)
    const bytes = large.reduce((sum, { requests }) => sum + requests.length * 2 * body.length, 0)
    expect(bytes).toBeLessThanOrEqual(MAX_BYTES)
    expect(bytes).toBeGreaterThan(MAX_BYTES / 2)
    for (const { requests } of large) expect(requests.length).toBeGreaterThan(30)
  })
})

describe('with a database', () => {
  let database: Database
  beforeAll(async () => {
    database = await createTestDatabase()
  })
  afterAll(() => database[Symbol.asyncDispose]())

  test('invented organizations are refused, and change nothing for those that exist', async () => {
    const { organizationId, publicOrganizationId } = await createTenant(database.prisma)
    await using receiver = await openReceiver(database.prisma)
    receiver.respondWith(organizationId, { kind: 'fail', remaining: null })
    expect(await post(receiver.port, publicOrganizationId)).toBe(400)
    for (let i = 0; i < 150; i++) {
      expect(await post(receiver.port, mintId('organization'))).toBe(404)
    }
    expect(receiver.inboxOf(organizationId)).toMatchObject({
      behavior: { kind: 'fail' },
      requests: [{ body: 'hello', signatureIsValid: false }],
    })
  })

  test('a deleted organization is refused, and its requests are forgotten', async () => {
    const { prisma } = database
    const [gone, kept] = [await createTenant(prisma), await createTenant(prisma)]
    await using receiver = await openReceiver(prisma)
    for (const id of [gone.publicOrganizationId, kept.publicOrganizationId]) {
      expect(await post(receiver.port, id)).toBe(400)
    }
    const inboxes = new Map<string, Inbox>()
    for (const { organizationId } of [gone, kept]) inboxOf(inboxes, organizationId)
    await deleteOrganization(prisma, gone.publicOrganizationId, { force: false }, SYSTEM)
    await forgetDeleted(prisma, inboxes)
    expect([...inboxes.keys()]).toEqual([kept.organizationId])
    expect(await post(receiver.port, gone.publicOrganizationId)).toBe(404)
    expect(await post(receiver.port, kept.publicOrganizationId)).toBe(400)
  })

  test('a second process leaves the port of the first one alone', async () => {
    const dataDir = await mkdtemp(path.join(tmpdir(), 'posthorn-port-'))
    onTestFinished(() => rm(dataDir, { recursive: true }))
    const options = await receiverOptions(database.prisma)
    const file = path.join(dataDir, 'test-receiver-port')
    const first = await openOnLastPort(dataDir, options)
    expect(await readFile(file, 'utf8')).toBe(`${first.port} ${process.pid}\n`)
    // As if another process that lives had opened it.
    const kept = `${first.port} ${process.ppid}\n`
    await writeFile(file, kept)
    await using second = await openOnLastPort(dataDir, options)
    expect(second.port).not.toBe(first.port)
    expect(await readFile(file, 'utf8')).toBe(kept)
    await first[Symbol.asyncDispose]()
    await using next = await openOnLastPort(dataDir, options)
    expect(next.port).toBe(first.port)
  })

  test('a port that a stranger took in the meantime is given up', async () => {
    const dataDir = await mkdtemp(path.join(tmpdir(), 'posthorn-port-'))
    onTestFinished(() => rm(dataDir, { recursive: true }))
    const options = await receiverOptions(database.prisma)
    await using stranger = await openReceiver(database.prisma)
    const { pid } = spawnSync('true')
    const file = path.join(dataDir, 'test-receiver-port')
    for (const left of [`${stranger.port} ${pid}\n`, `${stranger.port}\n`]) {
      await writeFile(file, left)
      await using opened = await openOnLastPort(dataDir, options)
      expect(await readFile(file, 'utf8')).toBe(`${opened.port} ${process.pid}\n`)
    }
  })
})

async function post(port: number, organization: string): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const options = { method: 'POST', rejectUnauthorized: false }
  request(`https://localhost:${port}/${organization}`, options, (response) => {
    response.resume()
    resolve(response.statusCode ?? 0)
  })
    .on('error', reject)
    .end('hello')
  return await promise
}
