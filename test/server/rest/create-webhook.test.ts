import { describe, expect, test } from 'vitest'
import { parseId } from '../../../src/db/ids.ts'
import { JOINED, TICKET } from '../../support/factories.ts'
import { expectInvalid, json, NEW_WEBHOOK, problem, useConnectV1, WEBHOOKS } from './connect-v1.ts'

const api = await useConnectV1()

const post = (body: unknown) => api.call('POST', '/webhooks', { body })

describe('POST /webhooks', () => {
  test('returns 201 with the created webhook, its id and its location', async () => {
    const before = Date.now()
    const response = await post({
      url: 'https://receiver.example/hooks?tenant=7',
      event_subscriptions: [JOINED, TICKET],
      description: 'Ticketing',
      enabled: true,
      headers: { 'X-Tenant': 'harvest fair' },
    })
    expect(response.status).toBe(201)
    expect(response.headers.get('content-type')).toBe('application/json')
    const webhook = await json(response)
    expect(webhook).toEqual({
      id: expect.stringMatching(/^wh_[0-9a-z]{26}$/),
      url: 'https://receiver.example/hooks?tenant=7',
      description: 'Ticketing',
      enabled: true,
      event_subscriptions: [JOINED, TICKET],
      headers: { 'X-Tenant': 'harvest fair' },
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updated_at: webhook.created_at,
    })
    expect(Date.parse(webhook.created_at)).toBeGreaterThan(before - 60_000)
    expect(response.headers.get('location')).toBe(`${WEBHOOKS}/${webhook.id}`)
    expect(await json(await api.call('GET', `/webhooks/${webhook.id}`))).toEqual(webhook)
  })

  test.each([
    ['null as the default', { description: null, enabled: null, headers: null }],
    ['a URL to the letter', { url: 'HTTPS://EXAMPLE.com:8443/A%20b?q=' }],
    ['repeated subscriptions once', { event_subscriptions: [TICKET, JOINED, TICKET] }],
    ['no read-only fields', { id: 'wh_mine', created_at: 'once', updated_at: 7 }],
  ])('takes %s', async (_, given) => {
    const { id, created_at, updated_at, ...webhook } = await api.create(given)
    const { url = NEW_WEBHOOK.url, event_subscriptions = [JOINED] } = given as typeof NEW_WEBHOOK
    expect(webhook).toEqual({
      ...{ url, description: null, enabled: false, headers: {} },
      event_subscriptions: [...new Set(event_subscriptions)],
    })
    expect(parseId('webhook', id)).not.toBeNull()
    expect(Date.parse(created_at)).not.toBeNaN()
  })
})

describe('POST /webhooks rejects, and creates nothing:', () => {
  async function postInvalid(fields: object, pointer: string, code: string) {
    const before = await api.countWebhooks()
    const body = await expectInvalid(await post({ ...NEW_WEBHOOK, ...fields }), pointer, code)
    expect(await api.countWebhooks()).toBe(before)
    return body
  }

  test.each([
    ['required', undefined, 'event_subscriptions is required.'],
    ['too_small', [], 'event_subscriptions must name at least one event type.'],
  ])('rule 3, %s: event_subscriptions of %j', async (code, event_subscriptions, message) => {
    const { detail } = await postInvalid({ event_subscriptions }, '#/event_subscriptions', code)
    expect(detail).toBe(message)
  })

  test('an unknown event type, with its position and a suggestion', async () => {
    const fields = { event_subscriptions: [JOINED, 'event_atendee.joined_event'] }
    const place = '#/event_subscriptions/1'
    const { errors } = await postInvalid(fields, place, 'unknown_event_type')
    expect(errors[0].detail).toContain(`Did you mean "${JOINED}"?`)
  })

  test('a description of more than 1,000 characters', async () => {
    await postInvalid({ description: 'a'.repeat(1_001) }, '#/description', 'too_big')
    expect((await api.create({ description: 'a'.repeat(1_000) })).description).toHaveLength(1_000)
  })

  test.each([
    ['url', 7],
    ['description', 7],
    ['enabled', 'true'],
    ['event_subscriptions', JOINED],
    ['event_subscriptions', null],
    ['headers', 'X-A: b'],
  ])('%s of the wrong type: %j', async (field, value) => {
    const { detail } = await postInvalid({ [field]: value }, `#/${field}`, 'invalid_type')
    expect(detail).toMatch(new RegExp(`^${field} must be `))
  })

  test('an unknown field, with its name and a suggestion', async () => {
    const field = 'eventSubscriptions'
    const { errors } = await postInvalid({ [field]: [] }, `#/${field}`, 'unknown_field')
    const message = `There is no field "${field}". Did you mean "event_subscriptions"?`
    expect(errors[0].detail).toBe(message)
  })

  test('a field with the name of an object property, or that JSON Pointer must escape', async () => {
    for (const name of ['__proto__', 'constructor', 'toString']) {
      const body = `{"url":"https://receiver.example","event_subscriptions":["${JOINED}"],"${name}":{"enabled":true}}`
      await expectInvalid(await post(body), `#/${name}`, 'unknown_field')
    }
    expect(({} as { enabled?: boolean }).enabled).toBeUndefined()
    const escaped = await post({ ...NEW_WEBHOOK, 'a/b~c d': 1 })
    await expectInvalid(escaped, '#/a~1b~0c%20d', 'unknown_field')
  })

  test('several invalid fields, with all errors in one response', async () => {
    const response = await post({
      url: 'http://receiver.example',
      description: 7,
      enabled: 'no',
      event_subscriptions: ['nothing.such'],
      headers: { Host: 'a', 'X-Ok': 'yes', 'X-Bad': 'ü' },
      colour: 'red',
    })
    const { errors, detail } = await problem(response, 422)
    expect(
      Object.fromEntries(errors.map((e: { pointer: string; code: string }) => [e.pointer, e.code])),
    ).toEqual({
      '#/colour': 'unknown_field',
      '#/url': 'not_https',
      '#/description': 'invalid_type',
      '#/enabled': 'invalid_type',
      '#/event_subscriptions/0': 'unknown_event_type',
      '#/headers/Host': 'reserved_header',
      '#/headers/X-Bad': 'invalid_header_value',
    })
    expect(JSON.stringify(errors)).not.toContain('eventSubscriptions')
    expect(detail).toContain('And 2 more.')
  })
})
