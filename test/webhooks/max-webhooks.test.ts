import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../support/app.ts'
import { JOINED } from '../support/factories.ts'

const MAX = 5

let posthorn: TestApp

beforeAll(async () => {
  posthorn = await startTestApp({
    role: 'api',
    environment: { POSTHORN_MAX_WEBHOOKS: String(MAX) },
  })
})
afterAll(async () => await posthorn[Symbol.asyncDispose]())

const create = (idempotencyKey?: string) =>
  posthorn.graphql(
    `mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) {
       ... on CreateWebhookSuccess { webhook { id } }
       ... on ValidationError { message issues { path code message } }
     } }`,
    { input: { url: 'https://example.com/hooks', eventSubscriptions: [JOINED], idempotencyKey } },
  )

const createOverRest = () =>
  posthorn.rest('POST', '/webhooks', {
    url: 'https://example.com/hooks',
    event_subscriptions: [JOINED],
  })

test('an organization has at most the configured number of webhooks, however many are created at once', async () => {
  const first = await create('first')
  expect(first.createWebhook.webhook.id).toMatch(/^wh_/)
  const answers = await Promise.all(Array.from({ length: 12 }, createOverRest))
  const statuses = answers.map(({ status }) => status)
  expect(statuses.filter((status) => status === 201)).toHaveLength(MAX - 1)
  expect(statuses.filter((status) => status === 422)).toHaveLength(12 - MAX + 1)

  const detail =
    'The organization has 5 webhooks, and may have 5. Delete one that is no longer used, or ask the operator to raise POSTHORN_MAX_WEBHOOKS.'
  const rejected = await createOverRest()
  expect(rejected.headers.get('content-type')).toBe('application/problem+json')
  expect(await rejected.json()).toMatchObject({
    type: 'urn:posthorn:problem:invalid',
    status: 422,
    errors: [{ pointer: '#', code: 'too_many_webhooks', detail }],
  })
  expect((await create()).createWebhook).toEqual({
    message: detail,
    issues: [{ path: [], code: 'too_many_webhooks', message: detail }],
  })
  // A repeated call creates nothing.
  expect(await create('first')).toEqual(first)
})

test('a deleted webhook makes room for another one', async () => {
  const { webhooks } = await posthorn.graphql('{ webhooks(first: 1) { nodes { id } } }')
  expect((await posthorn.rest('DELETE', `/webhooks/${webhooks.nodes[0].id}`)).status).toBe(204)
  expect((await createOverRest()).status).toBe(201)
  expect((await createOverRest()).status).toBe(422)
})

test('creations wait for each other only while their webhooks are counted', async () => {
  const { pool } = posthorn.database
  const { webhooks } = await posthorn.graphql('{ webhooks(first: 9) { nodes { id } } }')
  for (const { id } of webhooks.nodes) await posthorn.rest('DELETE', `/webhooks/${id}`)
  // One after the other, the last ones would reach their lock timeout.
  await pool.query(`
    create function slow() returns trigger language plpgsql as 'begin perform pg_sleep(1); return new; end';
    create trigger slow before insert on posthorn.signing_secrets for each row execute function slow()`)
  try {
    const answers = await Promise.all(Array.from({ length: MAX }, createOverRest))
    expect(answers.map(({ status }) => status)).toEqual(Array(MAX).fill(201))
  } finally {
    await pool.query('drop trigger slow on posthorn.signing_secrets; drop function slow()')
  }
})
