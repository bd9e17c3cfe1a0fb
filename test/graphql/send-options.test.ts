import { describe, expect, test } from 'vitest'
import { JOINED } from '../support/factories.ts'
import { useApi, useTenant } from './support/api.ts'

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
const ANSWER = `{
  __typename
  ... on UserError { code message }
  ... on ValidationError { issues { path code message } }
  ... on %Success {
    webhook { id rateLimitPerSecond maxInFlight retryScheduleSeconds timeoutSeconds ordered }
  }
}`
const CREATE = `mutation ($input: CreateWebhookInput!) {
  createWebhook(input: $input) ${ANSWER.replace('%', 'CreateWebhook')}
}`
const UPDATE = `mutation ($id: ID!, $input: UpdateWebhookInput!) {
  updateWebhook(id: $id, input: $input) ${ANSWER.replace('%', 'UpdateWebhook')}
}`

const api = useApi()
const tenant = useTenant(api)

async function create(options: object = {}, key: string | null = null) {
  const input = { ...FIELDS, ...options, idempotencyKey: key }
  const { data, errors } = await api.call(tenant.token, CREATE, { input })
  expect(errors).toBeUndefined()
  return data.createWebhook
}

async function update(id: string, input: object) {
  const { data, errors } = await api.call(tenant.token, UPDATE, { id, input })
  expect(errors).toBeUndefined()
  return data.updateWebhook
}

describe('createWebhook', () => {
  test('a webhook without options has the defaults, and null means the default', async () => {
    expect((await create()).webhook).toMatchObject(DEFAULTS)
    expect((await create({ ...DEFAULTS, ordered: null })).webhook).toMatchObject(DEFAULTS)
  })

  test('stores every given option', async () => {
    expect((await create(TUNED)).webhook).toMatchObject(TUNED)
  })

  test('an empty retry schedule is not the default one', async () => {
    const { webhook } = await create({ retryScheduleSeconds: [] })
    expect(webhook.retryScheduleSeconds).toEqual([])
  })

  test('lists all invalid options and fields, and registers nothing', async () => {
    const answer = await create({
      url: 'http://example.com',
      rateLimitPerSecond: 0,
      maxInFlight: 201,
      retryScheduleSeconds: [5, 0, 86_401],
      timeoutSeconds: 31,
    })
    expect(answer).toMatchObject({ __typename: 'ValidationError', code: 'invalid' })
    expect(answer.issues).toMatchInlineSnapshot(`
      [
        {
          "code": "too_small",
          "message": "rateLimitPerSecond must be a whole number from 1 to 10,000, not 0; give null for no limit.",
          "path": [
            "rateLimitPerSecond",
          ],
        },
        {
          "code": "too_big",
          "message": "maxInFlight must be a whole number from 1 to 200, not 201; give null for the default.",
          "path": [
            "maxInFlight",
          ],
        },
        {
          "code": "too_small",
          "message": "retryScheduleSeconds[1] must be a whole number from 1 to 86,400, not 0; give seconds, or an empty list for no retries.",
          "path": [
            "retryScheduleSeconds",
            "1",
          ],
        },
        {
          "code": "too_big",
          "message": "retryScheduleSeconds[2] must be a whole number from 1 to 86,400, not 86401; give seconds, or an empty list for no retries.",
          "path": [
            "retryScheduleSeconds",
            "2",
          ],
        },
        {
          "code": "too_big",
          "message": "timeoutSeconds must be a whole number from 1 to 30, not 31; give null for the default.",
          "path": [
            "timeoutSeconds",
          ],
        },
        {
          "code": "not_https",
          "message": "The URL is not HTTPS. Give one that begins with https://.",
          "path": [
            "url",
          ],
        },
      ]
    `)
    expect(
      await api.database.prisma.webhook.count({
        where: { organizationId: tenant.organizationId },
      }),
    ).toBe(0)
  })

  test('repeating a call with the same options registers nothing; with other options it is a conflict', async () => {
    const first = await create(TUNED, 'tuned')
    const reordered = Object.fromEntries(Object.entries(TUNED).toReversed())
    const again = await create(reordered, 'tuned')
    expect(again.webhook).toEqual(first.webhook)
    const other = await create({ ...TUNED, retryScheduleSeconds: [60, 5] }, 'tuned')
    expect(other).toMatchObject({ __typename: 'ConflictError', code: 'conflict' })
    const { organizationId } = tenant
    expect(await api.database.prisma.webhook.count({ where: { organizationId } })).toBe(1)
  })
})

describe('updateWebhook', () => {
  test.each(Object.entries(TUNED))('changes %s only', async (name, value) => {
    const { webhook } = await create()
    const { webhook: updated } = await update(webhook.id, { [name]: value })
    expect(updated).toEqual({ ...webhook, [name]: value })
  })

  test.each(Object.keys(TUNED))('null sets %s back to the default', async (name) => {
    const { webhook } = await create(TUNED)
    const { webhook: updated } = await update(webhook.id, { [name]: null })
    expect(updated).toEqual({ ...webhook, [name]: DEFAULTS[name as keyof typeof DEFAULTS] })
  })

  test('changing another field keeps all options', async () => {
    const { webhook } = await create(TUNED)
    expect((await update(webhook.id, { description: 'Later' })).webhook).toEqual(webhook)
  })

  test('rejects values out of bounds, and changes nothing', async () => {
    const { webhook } = await create(TUNED)
    const answer = await update(webhook.id, {
      maxInFlight: 10,
      timeoutSeconds: 0,
      retryScheduleSeconds: Array(21).fill(60),
    })
    expect(answer.issues).toEqual([
      {
        path: ['retryScheduleSeconds'],
        code: 'too_many',
        message:
          'retryScheduleSeconds must have at most 20 delays, not 21; give fewer, longer delays.',
      },
      {
        path: ['timeoutSeconds'],
        code: 'too_small',
        message:
          'timeoutSeconds must be a whole number from 1 to 30, not 0; give null for the default.',
      },
    ])
    expect((await update(webhook.id, {})).webhook).toEqual(webhook)
  })
})
