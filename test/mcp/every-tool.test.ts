import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { MAX_ANSWER_BYTES } from '../../src/mcp/answer.ts'
import { TOOLS } from '../../src/mcp/tools.ts'
import { JOINED, TICKET } from '../support/factories.ts'
import { type Agent, connectAgent, textOf } from './agent.ts'
import { type AgentWorld, openWorld, type Subject } from './open-world.ts'

let world: AgentWorld
let agent: Agent
let stranger: Agent
let portal: Agent

beforeAll(async () => {
  world = await openWorld()
  const { url } = world.posthorn.app
  agent = await connectAgent(url, world.posthorn.tenant.token)
  stranger = await connectAgent(url, world.stranger)
  portal = await connectAgent(
    url,
    await world.portal([
      'webhooks:read',
      'webhooks:write',
      'deliveries:read',
      'deliveries:write',
      'events:read',
    ]),
  )
})
afterAll(async () => {
  for (const each of [agent, stranger, portal]) await each[Symbol.asyncDispose]()
  await world[Symbol.asyncDispose]()
})

const NO_ID = '0'.repeat(26)
const HOUR_MS = 3_600_000
const hourAgo = () => new Date(Date.now() - HOUR_MS).toISOString()

interface Case {
  /** Arguments about a subject. */
  readonly args: (subject: Subject) => Record<string, unknown>
  /** A part of the answer about a subject. For a tool that changes something: of the first call. */
  readonly answer: (subject: Subject) => unknown
  /** Arguments that the tool refuses, and a part of its message. Null: it accepts every valid input. */
  readonly refused: [args: Record<string, unknown>, message: string] | null
}

/** A new tool needs an entry: whether it works, what it refuses, and that it shows nothing to others. */
const CASES: Readonly<Record<string, Case>> = {
  list_webhooks: {
    args: () => ({ search: '-url' }),
    answer: ({ webhookId }) => ({
      items: expect.arrayContaining([expect.objectContaining({ webhook_id: webhookId })]),
    }),
    refused: [{ cursor: 'none' }, 'cursor'],
  },
  why_does_webhook_fail: {
    args: ({ webhookId }) => ({ webhook_id: webhookId }),
    answer: ({ webhookId }) => ({
      cause: '500',
      means: expect.stringContaining('500 Internal Server Error'),
      check: 'Check the log of the receiver.',
      webhook: { webhook_id: webhookId },
      last_failure: { status: 500 },
      failures_of_last_day: [{ cause: '500', count: 4 }],
    }),
    refused: [{ webhook_id: `wh_${NO_ID}` }, 'There is no webhook'],
  },
  what_waits: {
    args: () => ({}),
    answer: () => ({ bulk_tasks: expect.any(Array) }),
    refused: [{ limit: 0 }, 'limit'],
  },
  list_failures: {
    args: ({ webhookId }) => ({ since: hourAgo(), webhook_id: webhookId }),
    answer: ({ webhookId }) => ({ items: [{ webhook_id: webhookId, cause: '500', count: 4 }] }),
    refused: [{ since: 'yesterday' }, 'since'],
  },
  list_incidents: {
    args: ({ webhookId }) => ({ webhook_id: webhookId }),
    answer: () => ({ items: expect.any(Array) }),
    refused: [{ webhook_id: 'wh_1' }, 'webhook_id'],
  },
  find_deliveries: {
    args: ({ webhookId }) => ({ webhook_id: webhookId, states: ['EXHAUSTED'], causes: ['500'] }),
    answer: ({ deliveryId }) => ({ items: [{ delivery_id: deliveryId, attempts: 4 }] }),
    refused: [{ states: ['LOST'] }, 'states'],
  },
  get_delivery: {
    args: ({ deliveryId }) => ({ delivery_id: deliveryId }),
    answer: ({ deliveryId, attemptId }) => ({
      delivery_id: deliveryId,
      state: 'EXHAUSTED',
      attempts: [{ attempt_id: attemptId, cause: '500' }, {}, {}, {}],
    }),
    refused: [{ delivery_id: `msg_${NO_ID}` }, 'There is no delivery'],
  },
  find_events: {
    args: () => ({ contains: '-payload' }),
    answer: ({ eventId }) => ({
      items: expect.arrayContaining([expect.objectContaining({ event_id: eventId })]),
    }),
    refused: [{ contains: 'a', key: { path: '$.a', equals: 'a' } }, 'either key or contains'],
  },
  get_event: {
    args: ({ eventId }) => ({ event_id: eventId }),
    answer: ({ eventId, deliveryId }) => ({
      event_id: eventId,
      next_offset: null,
      delivery_list: [{ delivery_id: deliveryId, state: 'EXHAUSTED' }],
    }),
    refused: [{ event_id: `evt_${NO_ID}` }, 'There is no event'],
  },
  why_was_event_not_delivered: {
    args: ({ eventId, webhookId }) => ({ event_id: eventId, webhook_id: webhookId }),
    answer: ({ deliveryId }) => ({
      reason: 'DELIVERY_EXISTS',
      delivery: { delivery_id: deliveryId },
    }),
    refused: [{ event_id: `evt_${NO_ID}`, webhook_id: `wh_${NO_ID}` }, 'There is no webhook'],
  },
  list_event_types: {
    args: () => ({ event_type: JOINED }),
    answer: () => ({ total: 1, items: [{ event_type: JOINED }] }),
    refused: [{ event_type: 'none' }, 'There is no such event type'],
  },
  try_filter: {
    args: () => ({ event_types: ['*'], filter: '{"path":"$.marker","op":"exists"}' }),
    answer: () => ({
      tested: expect.any(Number),
      matched: expect.any(Number),
      untrusted: { issues: [] },
    }),
    refused: [{ event_types: [], filter: '{}' }, 'event_types'],
  },
  redeliver: {
    args: ({ deliveryId }) => ({ delivery_id: deliveryId }),
    answer: ({ deliveryId }) => ({ done: false, facts: { delivery: { id: deliveryId } } }),
    refused: [{}, 'at least one condition'],
  },
  recover: {
    args: ({ webhookId }) => ({ webhook_id: webhookId, since: hourAgo() }),
    answer: () => ({ done: false, facts: { count: 1 } }),
    refused: [{ webhook_id: `wh_${NO_ID}`, since: hourAgo() }, 'rejected as not_found'],
  },
  resume_webhook: {
    args: ({ webhookId }) => ({ webhook_id: webhookId }),
    answer: ({ webhookId }) => ({ done: false, facts: { webhook_id: webhookId } }),
    refused: [{ webhook_id: `wh_${NO_ID}` }, 'There is no webhook'],
  },
  enable_webhook: {
    args: ({ webhookId }) => ({ webhook_id: webhookId }),
    answer: ({ webhookId }) => ({ done: false, facts: { webhook_id: webhookId, enabled: true } }),
    refused: [{ webhook_id: `wh_${NO_ID}` }, 'There is no webhook'],
  },
  send_test_event: {
    args: ({ webhookId }) => ({ webhook_id: webhookId, event_type: TICKET }),
    answer: ({ webhookId }) => ({ done: false, facts: { webhook_id: webhookId } }),
    refused: [{ webhook_id: `wh_${NO_ID}`, event_type: TICKET }, 'There is no webhook'],
  },
  cancel: {
    args: ({ deliveryId }) => ({ delivery_id: deliveryId }),
    answer: ({ deliveryId }) => ({ done: false, facts: { delivery: { id: deliveryId } } }),
    refused: [{}, 'at least one condition'],
  },
}

const NAMES = TOOLS.map(({ name }) => name)

test('every tool is tested', () => {
  expect(Object.keys(CASES)).toEqual(NAMES)
})

/** What nobody else may see: the marker of a subject, and its ids. */
const marks = (subject: Subject, marker: string) => [`${marker}-`, ...Object.values(subject)]

/** The whole answer, also if the client does not have the tool. */
async function answerOf(caller: Agent, name: string, args: Record<string, unknown>) {
  const result = await caller.result(name, args).catch((error: Error) => error.message)
  return JSON.stringify(result)
}

describe.each(NAMES)('%s', (name) => {
  const { args, answer, refused } = CASES[name] as Case

  test('answers', async () => {
    const result = await agent.result(name, args(world.own))
    expect(result.isError, textOf(result)).toBeFalsy()
    expect(result.structuredContent).toMatchObject(answer(world.own) as object)
    expect(Buffer.byteLength(JSON.stringify(result))).toBeLessThanOrEqual(MAX_ANSWER_BYTES)
  })

  test.runIf(refused)('says why it refuses', async () => {
    const [given = {}, message = ''] = refused ?? []
    const result = await agent.result(name, given)
    expect(result.isError).toBe(true)
    expect(textOf(result)).toContain(message)
  })

  test('shows nothing to another organization', async () => {
    const given = args(world.own)
    const text = await answerOf(stranger, name, given)
    const hidden = [...marks(world.own, 'own'), ...marks(world.other, 'other')]
    // An error can repeat an argument.
    const unknown = hidden.filter((mark) => !JSON.stringify(given).includes(mark))
    expect(unknown.filter((mark) => text.includes(mark))).toEqual([])
  })

  test('shows a portal session nothing of another webhook', async () => {
    const given = args(world.other)
    const text = await answerOf(portal, name, given)
    const unknown = marks(world.other, 'other').filter(
      (mark) => !JSON.stringify(given).includes(mark),
    )
    expect(unknown.filter((mark) => text.includes(mark))).toEqual([])
  })
})

test('a portal session has the tools that serve one webhook, and they answer for it', async () => {
  const names = await portal.toolNames()
  expect(names).toEqual(
    TOOLS.filter(({ reach }) => reach !== 'organization').map(({ name }) => name),
  )
  for (const name of names) {
    const { args, answer } = CASES[name] as Case
    const result = await portal.result(name, args(world.own))
    expect(result.isError, `${name}: ${textOf(result)}`).toBeFalsy()
    expect(result.structuredContent, name).toMatchObject(answer(world.own) as object)
  }
})

test('who has a link to one delivery has the tools for it, and no other delivery', async () => {
  const { posthorn, own, other } = world
  const { createDeliveryLink } = await posthorn.graphql(
    `mutation { createDeliveryLink(id: "${own.deliveryId}", input: {}) {
      ... on CreateDeliveryLinkSuccess { link { url } } ... on UserError { message } } }`,
  )
  const { hash } = new URL(createDeliveryLink.link.url)
  const token = new URLSearchParams(hash.slice(1)).get('token') as string
  await using linked = await connectAgent(posthorn.app.url, token)
  expect(await linked.toolNames()).toEqual(['get_delivery', 'list_event_types'])
  expect(await linked.call('get_delivery', { delivery_id: own.deliveryId })).toMatchObject({
    attempts: [{ cause: '500' }, {}, {}, {}],
  })
  await expect(linked.call('get_delivery', { delivery_id: other.deliveryId })).rejects.toThrow(
    'There is no delivery',
  )
})
