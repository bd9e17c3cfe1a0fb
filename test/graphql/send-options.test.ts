import { expect, test } from 'vitest'
import { JOINED } from '../support/factories.ts'
import { useApi, useTenant } from './support/api.ts'

const api = await useApi()
const tenant = useTenant(api)

const FIELDS = { url: 'https://example.com/hook', eventSubscriptions: [JOINED] }
const DEFAULTS = {
  rateLimitPerSecond: null,
  maxInFlight: null,
  retryScheduleSeconds: null,
  timeoutSeconds: null,
  ordered: false,
}
const TUNED = {
  rateLimitPerSecond: 50,
  maxInFlight: 3,
  retryScheduleSeconds: [5, 60],
  timeoutSeconds: 7,
  ordered: true,
}

const LEAST = {
  ...{ rateLimitPerSecond: 1, maxInFlight: 1, timeoutSeconds: 1 },
  retryScheduleSeconds: [1, 86_400],
}
const MOST = {
  ...{ rateLimitPerSecond: 10_000, maxInFlight: 200, timeoutSeconds: 30 },
  retryScheduleSeconds: Array(20).fill(86_400),
}

const outcome = (type: string) => `{
  __typename
  ... on ValidationError { issues { path code message } }
  ... on ${type}Success { webhook { id ${Object.keys(TUNED).join(' ')} } } }`
const CREATE = `mutation ($input: CreateWebhookInput!) {
  createWebhook(input: $input) ${outcome('CreateWebhook')} }`
const UPDATE = `mutation ($id: ID!, $input: UpdateWebhookInput!) {
  updateWebhook(id: $id, input: $input) ${outcome('UpdateWebhook')} }`

const create = async (options: object) =>
  (await tenant.ask(CREATE, { input: { ...FIELDS, ...options } })).createWebhook
const update = async (id: string, input: object) =>
  (await tenant.ask(UPDATE, { id, input })).updateWebhook

test.each([
  ['no option', {}, DEFAULTS],
  ['null for each', { ...DEFAULTS, ordered: null }, DEFAULTS],
  ['every option', TUNED, TUNED],
  ['the least of each', LEAST, LEAST],
  ['the most of each', MOST, MOST],
  ['no retries', { retryScheduleSeconds: [] }, { ...DEFAULTS, retryScheduleSeconds: [] }],
])('a webhook with %s has the rest by default', async (_what, options, expected) => {
  expect((await create(options)).webhook).toMatchObject(expected)
})

test.each([
  [{ rateLimitPerSecond: 0 }, 'rateLimitPerSecond', 'too_small', '1 to 10,000, not 0; give null'],
  [{ rateLimitPerSecond: 10_001 }, 'rateLimitPerSecond', 'too_big', 'not 10001'],
  [{ maxInFlight: 0 }, 'maxInFlight', 'too_small', 'not 0'],
  [{ maxInFlight: 201 }, 'maxInFlight', 'too_big', '1 to 200, not 201; give null'],
  [
    { retryScheduleSeconds: [5, 0] },
    'retryScheduleSeconds.1',
    'too_small',
    '1 to 86,400, not 0; give seconds, or an empty list for no retries.',
  ],
  [{ retryScheduleSeconds: [86_401] }, 'retryScheduleSeconds.0', 'too_big', 'not 86401'],
  [
    { retryScheduleSeconds: Array(21).fill(60) },
    'retryScheduleSeconds',
    'too_big',
    'must have at most 20 delays; give fewer, longer delays.',
  ],
  [{ timeoutSeconds: 0 }, 'timeoutSeconds', 'too_small', 'not 0'],
  [{ timeoutSeconds: 31 }, 'timeoutSeconds', 'too_big', 'a whole number from 1 to 30, not 31'],
])('%j is rejected with the rest, and changes nothing', async (given, path, code, text) => {
  const issue = { path: path.split('.'), code, message: expect.stringContaining(text) }
  const rejected = await create({ ...given, url: 'http://example.com' })
  expect(rejected).toMatchObject({
    __typename: 'ValidationError',
    issues: [issue, { path: ['url'] }],
  })
  const { organizationId } = tenant
  expect(await api.database.prisma.webhook.count({ where: { organizationId } })).toBe(0)
  const { webhook } = await create(TUNED)
  expect((await update(webhook.id, { ...given, ordered: false })).issues).toEqual([issue])
  expect((await update(webhook.id, {})).webhook).toEqual(webhook)
})
