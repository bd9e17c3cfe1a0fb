import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { TOOLS } from '../../packages/mcp/tools.ts'
import { SYSTEM } from '../../src/auth/access/actor.ts'
import type { Scope } from '../../src/auth/access/scope.ts'
import { publicId } from '../../src/db/ids.ts'
import { createOrganization } from '../../src/organizations/organization.ts'
import { document } from '../graphql/support/document.ts'
import { createWebhook } from '../scheduling/support/backlog.ts'
import { createApiKey } from '../support/api-keys.ts'
import { startTestApp, useTestApp } from '../support/app.ts'
import { JOINED, TICKET } from '../support/factories.ts'
import { startReceiver } from '../support/receiver.ts'
import { until } from '../support/until.ts'
import { useFolder } from '../support/use-folder.ts'
import { useResource } from '../support/use-resource.ts'
import { connectAgent, textOf } from './agent.ts'

const folder = await useFolder('mcp')
const receiver = await useResource(startReceiver())
receiver.answer = (response, { path: at }) => void response.writeHead(500).end(`response of ${at}`)
const posthorn = await useTestApp({
  environment: { POSTHORN_MCP: 'write' },
  trustedAuthorities: [receiver.authority],
})
// The endpoint of two webhooks failed, and works from now on.
const own = await createSubject('own', JOINED)
await createSubject('other', TICKET)
receiver.answer = (response) => response.end()

const { url } = posthorn.app
const { token, organizationId } = posthorn.tenant
const { prisma } = posthorn.database
const agent = await useResource(connectAgent(url, token))
const keyWith = async (scopes: readonly Scope[]) =>
  (await createApiKey(prisma, { organizationId, scopes })).token
const agentWith = async (scopes: readonly Scope[]) => connectAgent(url, await keyWith(scopes))

const NO_ID = '0'.repeat(26)
const HOUR_MS = 3_600_000
const hourAgo = () => new Date(Date.now() - HOUR_MS).toISOString()

interface Case {
  /** Arguments about a subject. */
  readonly args: (subject: Subject) => Record<string, unknown>
  /** A part of the answer about a subject. For a tool that changes something: of a dry run. */
  readonly answer: (subject: Subject) => unknown
  /** Arguments that the tool refuses, and a part of its message. Null: it accepts every valid input. */
  readonly refused: [args: Record<string, unknown>, message: string] | null
}

/** A new tool needs an entry: whether it works, and what it refuses. */
const CASES: Readonly<Record<string, Case>> = {
  find_webhooks: {
    args: () => ({ filter: { search: '-url' } }),
    answer: ({ webhookId: id }) => {
      const lastFailure = expect.objectContaining({ status: 500, cause: '500' })
      const items = expect.arrayContaining([expect.objectContaining({ id, lastFailure })])
      return { webhooks: { totalCount: 2, items } }
    },
    refused: [{ after: 'none' }, 'cursor'],
  },
  find_deliveries: {
    args: ({ webhookId }) => ({
      filter: {
        webhookIds: [webhookId],
        states: ['EXHAUSTED'],
        anyAttempt: { causes: ['500'] },
        since: hourAgo(),
      },
    }),
    answer: ({ deliveryId }) => ({ deliveries: { items: [{ id: deliveryId, attemptCount: 4 }] } }),
    refused: [{ filter: { states: ['LOST'] } }, 'states'],
  },
  find_attempts: {
    args: ({ deliveryId }) => ({ deliveryId, first: 3 }),
    answer: ({ deliveryId: id, attemptId }) => {
      const response = { untrusted: { body: expect.stringContaining('response of') } }
      const items = [{ id: attemptId, cause: '500', response }, {}, {}]
      return { delivery: { id, attempts: { items, nextCursor: expect.any(String) } } }
    },
    refused: [{ deliveryId: 'msg_1' }, 'deliveryId'],
  },
  find_events: {
    args: ({ eventId }) => ({ filter: { id: eventId }, withPayload: true }),
    answer: ({ eventId: id }) => {
      const untrusted = { dataText: expect.stringContaining('-payload') }
      const items = [{ id, deliveryCounts: { exhausted: 1 }, untrusted }]
      return { events: { items, nextCursor: null } }
    },
    refused: [{ filter: { since: 'yesterday' } }, 'since'],
  },
  why_not_delivered: {
    args: ({ eventId, webhookId }) => ({ eventId, webhookId }),
    answer: ({ deliveryId, webhookId }) => ({
      whyNotDelivered: {
        reason: 'DELIVERY_EXISTS',
        delivery: { id: deliveryId, attempts: { items: [{ cause: '500' }, {}, {}, {}] } },
      },
      webhook: { id: webhookId, health: { state: expect.any(String) } },
    }),
    refused: [{ eventId: `evt_${NO_ID}`, webhookId: `wh_${NO_ID}` }, 'There is no webhook'],
  },
  health: {
    args: () => ({}),
    answer: () => ({
      deliveryHealth: { webhooks: expect.any(Array), waiting: expect.any(Array) },
      webhooks: { items: expect.any(Array) },
      bulkTasks: { nodes: expect.any(Array) },
    }),
    refused: null,
  },
  redeliver: {
    args: ({ deliveryId }) => ({ ids: [deliveryId] }),
    answer: () => ({ done: false, would: { count: 1 } }),
    refused: [{}, 'rejected as invalid'],
  },
  send_test_event: {
    args: ({ webhookId }) => ({ webhookId, eventType: TICKET }),
    answer: ({ webhookId }) => ({ done: false, would: { id: webhookId } }),
    refused: [{ webhookId: `wh_${NO_ID}`, eventType: TICKET }, 'Nothing has this id'],
  },
  resume_webhook: {
    args: ({ webhookId }) => ({ webhookId }),
    answer: ({ webhookId }) => ({ done: false, would: { id: webhookId } }),
    refused: [{ webhookId: `wh_${NO_ID}` }, 'Nothing has this id'],
  },
}

const NAMES = TOOLS.map(({ name }) => name)

test('every tool is tested', () => {
  expect(Object.keys(CASES)).toEqual(NAMES)
})

describe.each(NAMES)('%s', (name) => {
  const { args, answer, refused } = CASES[name] as Case

  test('answers', async () => {
    const result = await agent.result(name, args(own))
    expect(result.isError, textOf(result)).toBeFalsy()
    expect(result.structuredContent).toMatchObject(answer(own) as object)
  })

  test.runIf(refused)('says why it refuses', async () => {
    const [given = {}, message = ''] = refused ?? []
    const result = await agent.result(name, given)
    expect(result.isError).toBe(true)
    expect(textOf(result)).toContain(message)
  })
})

const READS = TOOLS.filter(({ changes }) => !changes)

describe('a key has the tools of its scopes', () => {
  test.each<[readonly Scope[], readonly string[]]>([
    [['webhooks:read'], []],
    [['deliveries:read'], ['find_deliveries', 'find_attempts', 'why_not_delivered']],
    [['events:read'], ['find_events']],
    [['webhooks:read', 'deliveries:read', 'events:read'], READS.map(({ name }) => name)],
    [
      ['deliveries:read', 'deliveries:write'],
      ['find_deliveries', 'find_attempts', 'why_not_delivered', 'redeliver'],
    ],
    [['admin'], TOOLS.map(({ name }) => name)],
  ])('%j: %j', async (scopes, names) => {
    await using agent = await agentWith(scopes)
    expect(await agent.toolNames()).toEqual(names)
  })

  test('a tool without its scope cannot be called', async () => {
    await using agent = await agentWith(['webhooks:read', 'deliveries:read'])
    const args = { ids: [own.deliveryId] }
    const called = agent.result('redeliver', args).then(textOf, (error: Error) => error.message)
    expect(await called).toContain('redeliver')
    expect(await stateOf(own.deliveryId)).toBe('EXHAUSTED')
  })
})

test('every tool says what it does, and bounds what it takes', async () => {
  await using agent = await agentWith(['admin'])
  const { tools } = await agent.client.listTools()
  for (const { name, title, annotations, inputSchema } of tools) {
    const { changes } = TOOLS.find((tool) => tool.name === name) as (typeof TOOLS)[number]
    expect(title, name).toBeTruthy()
    expect(annotations, name).toMatchObject({
      readOnlyHint: !changes,
      destructiveHint: false,
      openWorldHint: changes,
    })
    expect('dryRun' in (inputSchema.properties ?? {}), name).toBe(changes)
    expect(unboundedOf(inputSchema), name).toEqual([])
  }
})

/** The paths of strings, numbers and lists without a largest size. */
function unboundedOf(schema: unknown, at = ''): string[] {
  if (typeof schema !== 'object' || schema === null) return []
  const { type, ...rest } = schema as Record<string, unknown>
  const isBounded =
    'maxLength' in rest ||
    'pattern' in rest ||
    'enum' in rest ||
    'maximum' in rest ||
    'maxItems' in rest
  const isOpen = ['string', 'number', 'integer', 'array'].includes(String(type)) && !isBounded
  return [
    ...(isOpen ? [at] : []),
    ...Object.entries(rest).flatMap(([name, value]) => unboundedOf(value, `${at}/${name}`)),
  ]
}

describe('a tool that changes something', () => {
  test('only tells by default, acts with dryRun: false, and is in the audit log', async () => {
    const args = { filter: { webhookIds: [own.webhookId], states: ['EXHAUSTED'] } }
    const told = await agent.call('redeliver', args)
    expect(told).toMatchObject({ done: false, would: { count: 1, task: null } })
    expect(await stateOf(own.deliveryId)).toBe('EXHAUSTED')
    const { done, result } = await agent.call('redeliver', { ...args, dryRun: false })
    expect(done).toBe(true)
    await until(async () => (await stateOf(own.deliveryId)) === 'SUCCEEDED', 'the delivery arrives')
    const { auditLog } = await posthorn.graphql('{ auditLog(first: 1) { nodes { action } } }')
    expect(auditLog.nodes).toEqual([{ action: 'bulk_task.started' }])
    const { bulkTasks } = await agent.call('health')
    expect(bulkTasks.nodes).toMatchObject([{ id: result.task.id }])
    const { webhookId } = own
    const sent = { webhookId, eventType: JOINED, dryRun: false }
    expect(await agent.call('send_test_event', sent)).toMatchObject({ done: true })
    const resumed = agent.call('resume_webhook', { webhookId, dryRun: false })
    await expect(resumed).rejects.toThrow('rejected as conflict')
  })

  test('acts for the organization of the header', async () => {
    const { id } = await createOrganization(prisma, { name: 'Autumn Fair' }, SYSTEM)
    const organization = publicId('organization', id)
    const headers = { 'posthorn-organization': organization }
    await using another = await connectAgent(url, await keyWith(['admin']), headers)
    const args = { filter: { eventTypes: [TICKET] } }
    expect(await agent.call('redeliver', args)).toMatchObject({ would: { count: 1 } })
    expect(await another.call('redeliver', args)).toMatchObject({ would: { count: 0 } })
  })
})

test('the tools work where only trusted documents run', async () => {
  const file = path.join(folder, 'documents.json')
  await writeFile(file, '{}')
  await using trusting = await startTestApp({
    environment: { POSTHORN_MCP: 'read', POSTHORN_GRAPHQL_TRUSTED_DOCUMENTS: file },
  })
  await using agent = await connectAgent(trusting.app.url, trusting.tenant.token)
  expect(await agent.call('find_webhooks')).toMatchObject({ webhooks: { totalCount: 0 } })
  await expect(trusting.graphql('{ viewer { scopes } }')).rejects.toThrow('TRUSTED_DOCUMENTS_ONLY')
})

async function stateOf(id: string): Promise<string> {
  return (await posthorn.graphql(`{ delivery(id: "${id}") { state } }`)).delivery.state
}

type Subject = Awaited<ReturnType<typeof createSubject>>

/** A webhook with an exhausted delivery, all of which has the marker in its texts. */
async function createSubject(marker: string, type: string) {
  const { graphql } = posthorn
  const webhookId = await createWebhook(posthorn, `${receiver.url}${marker}-url`, {
    description: `${marker}-description`,
    eventSubscriptions: [type],
  })
  const input = { type, data: { marker: `${marker}-payload` } }
  const { publishEvent } = await graphql(document('events', 'PublishEvent'), { input })
  const eventId: string = publishEvent.publishedEvent.id
  const read = async () => {
    const { event } = await graphql(
      `{ event(id: "${eventId}") { deliveries { nodes { id state attempts(first: 1) { nodes { id } } } } } }`,
    )
    return event.deliveries.nodes[0]
  }
  await until(
    async () => (await read())?.state === 'EXHAUSTED',
    `the delivery of ${marker} is exhausted`,
  )
  const { id, attempts } = await read()
  return { webhookId, eventId, deliveryId: id as string, attemptId: attempts.nodes[0].id as string }
}
