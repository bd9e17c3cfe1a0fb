import { expect, test } from 'vitest'
import { JOINED, TICKET } from '../support/factories.ts'
import { useApi, useTenant } from './support/api.ts'
import { document } from './support/document.ts'

const INPUT = { url: 'https://example.com/hook', eventSubscriptions: [JOINED] }

const api = await useApi()
const tenant = useTenant(api)

function create(idempotencyKey: string | null, input: object = INPUT, token = tenant.token) {
  return api.call(token, document('webhooks', 'CreateWebhook'), {
    input: { ...input, idempotencyKey },
  })
}

async function count(): Promise<number> {
  const { organizationId } = tenant
  return await api.database.prisma.webhook.count({ where: { organizationId } })
}

test('repeating a call registers nothing and returns the existing webhook', async () => {
  const { data: first, errors } = await create('order-17')
  expect(errors).toBeUndefined()
  const { id } = first.createWebhook.webhook
  await api.call(tenant.token, document('webhooks', 'UpdateWebhook'), {
    id,
    input: { description: 'Changed since' },
  })
  // The order of the fields does not matter.
  const { eventSubscriptions, url } = INPUT
  const { data: second } = await create('order-17', { eventSubscriptions, url })
  expect(second.createWebhook.webhook).toMatchObject({ id, description: 'Changed since' })
  expect(await count()).toBe(1)
})

test('concurrent repetitions register one webhook', async () => {
  const answers = await Promise.all(Array.from({ length: 5 }, () => create('order-18')))
  const results = answers.map(({ data }) => data.createWebhook)
  const ids = new Set(results.flatMap(({ webhook }) => webhook?.id ?? []))
  expect(ids.size).toBe(1)
  for (const { __typename, message } of results) {
    if (__typename !== 'ConflictError') continue
    expect(message).toContain('is still running')
  }
  expect(await count()).toBe(1)
})

test('a key that was used with another input is a conflict', async () => {
  await create('order-19', { ...INPUT, retryScheduleSeconds: [5, 60] })
  const { data } = await create('order-19', { ...INPUT, retryScheduleSeconds: [60, 5] })
  expect(data.createWebhook).toEqual({
    __typename: 'ConflictError',
    code: 'conflict',
    message:
      'This idempotency key was used within the last 24 hours with another input. Use a new key for a new call.',
  })
  expect(await count()).toBe(1)
})

test('an invalid input does not use up the key', async () => {
  const { data } = await create('order-20', { ...INPUT, url: 'http://example.com' })
  expect(data.createWebhook.__typename).toBe('ValidationError')
  const { data: second } = await create('order-20')
  expect(second.createWebhook.__typename).toBe('CreateWebhookSuccess')
})

test('a key whose webhook was deleted is a conflict', async () => {
  const { data } = await create('order-21')
  const { id } = data.createWebhook.webhook
  await api.call(tenant.token, document('webhooks', 'DeleteWebhook'), { id })
  const { data: second } = await create('order-21')
  expect(second.createWebhook).toMatchObject({
    __typename: 'ConflictError',
    message: expect.stringContaining(id),
  })
})

test.each([
  ['that is empty', '', 'must have 1 to 255 characters, none of them NUL.'],
  ['of 256 characters', 'x'.repeat(256), 'must have 1 to 255 characters, none of them NUL.'],
])('a key %s is rejected', async (_what, key, rule) => {
  const { data, errors } = await create(key)
  expect(errors).toBeUndefined()
  expect(data.createWebhook).toMatchObject({
    __typename: 'ValidationError',
    message: `idempotencyKey ${rule}`,
    issues: [{ path: ['idempotencyKey'] }],
  })
  expect(await count()).toBe(0)
})

test('keys of two organizations are independent; null means no key', async () => {
  const other = await api.tenant()
  await create('order-22')
  const { data } = await create('order-22', { ...INPUT, eventSubscriptions: [TICKET] }, other.token)
  expect(data.createWebhook.__typename).toBe('CreateWebhookSuccess')
  await create(null)
  await create(null)
  expect(await count()).toBe(3)
})
