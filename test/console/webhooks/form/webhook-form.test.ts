import { describe, expect, test } from 'vitest'
import {
  parseDelays,
  printDelays,
} from '../../../../packages/console/webhooks/form/retry-schedule.ts'
import {
  changesOf,
  checkWebhook,
  NEW_WEBHOOK,
  newWebhookOf,
  valuesOf,
  type WebhookFormValues,
} from '../../../../packages/console/webhooks/form/webhook-form-values.ts'
import { MASK } from '../../../../packages/console/webhooks/headers/header-lines.ts'
import { findUrlProblem } from '../../../../src/outbound/destination-url.ts'
import { createAddressGuard } from '../../../../src/outbound/public-address.ts'
import { newWebhookRule } from '../../../../src/webhooks/webhook-settings.ts'

const GOOD: WebhookFormValues = {
  ...NEW_WEBHOOK,
  url: 'https://example.com/webhooks',
  eventSubscriptions: ['order.shipped'],
}

/** Whether the server accepts what the form sends. */
function serverAccepts(values: WebhookFormValues): boolean {
  const { headers, filterText, ...fields } = newWebhookOf(values)
  const record = Object.fromEntries((headers ?? []).map(({ name, value }) => [name, value]))
  const input = { ...fields, headers: record, ...(filterText && { filter: filterText }) }
  return (
    newWebhookRule.safeParse(input).success &&
    findUrlProblem(input.url, createAddressGuard([])) === null
  )
}

describe('the form and the server', () => {
  test.each<[string, string | null, Partial<WebhookFormValues>]>([
    ['a plain address', null, {}],
    ['spaces around the address', null, { url: ` ${GOOD.url} ` }],
    ['no address', 'url', { url: ' ' }],
    ['http', 'url', { url: 'http://example.com/' }],
    ['no event types', 'eventSubscriptions', { eventSubscriptions: [] }],
    ['a filter', null, { filter: '{ "path": "$.a", "op": "exists" }' }],
    ['a filter without a value', 'filter', { filter: '{"path":"$.a","value":}' }],
    ['numbers', null, { rateLimitPerSecond: 10_000, maxInFlight: 200, timeoutSeconds: '30' }],
    ['no retries', null, { retryScheduleSeconds: 'none' }],
    ['delays in each unit', null, { retryScheduleSeconds: '5s, 30 m,2h, 1d' }],
    ['a delay without a unit', 'retryScheduleSeconds', { retryScheduleSeconds: '5, 10' }],
    ['headers', null, { headers: 'x-token: a b\tc\n\nX-Url: https://a.example' }],
    ['a header without a value', 'headers', { headers: 'x-token' }],
    ['a prefix of another sender', null, { headerPrefix: 'svix-' }],
    ['labels', null, { metadata: 'team=payments' }],
    ['a label without a value', 'metadata', { metadata: 'team' }],
  ])('agree on %s', (_what, wrong, changed) => {
    const values = { ...GOOD, ...changed }
    expect(Object.keys(checkWebhook(values))).toEqual(wrong === null ? [] : [wrong])
    // The server knows more rules, and says them at their fields.
    if (wrong === null) expect(serverAccepts(values)).toBe(true)
  })

  test('a body of its own needs a text', () => {
    const empty = checkWebhook({ ...GOOD, body: 'template', template: ' ' })
    expect(Object.keys(empty)).toEqual(['template'])
  })
})

test.each([null, [], [5, 300, 1_800, 7_200, 90, 86_400]])('the delays %j are a text', (delays) => {
  expect(parseDelays(printDelays(delays))).toEqual(delays)
})

describe('an edit', () => {
  const webhook = {
    url: GOOD.url,
    enabled: true,
    subscriptions: ['order.*'],
    filterText: '{"path":"$.a","op":"exists"}',
    selection: '{ ... on OrderShipped { id } }',
    uid: 'orders',
    metadata: { region: 'eu', team: 'payments' },
    headerNames: ['x-token', 'x-team'],
    rateLimitPerSecond: 5,
    ordered: false,
    keepPayloads: true,
    keepResponseBodies: true,
  } as unknown as Parameters<typeof valuesOf>[0]
  const before = valuesOf(webhook)
  const changes = (changed: Partial<WebhookFormValues>) =>
    changesOf(before, { ...before, ...changed })

  test('without changes sends nothing', () => {
    expect(changes({ url: ` ${before.url} ` })).toEqual({})
  })

  test('keeps patterns, and sends a filter only if more than its spaces changed', () => {
    expect(before.eventSubscriptions).toEqual(['order.*'])
    const spaced = '{ "path": "$.a",\n "op": "exists" }'
    expect(changes({ filter: spaced })).toEqual({})
    expect(changes({ filter: spaced.replace('$.a', '$.b') })).toEqual({
      filterText: '{"path":"$.b","op":"exists"}',
    })
    expect(changes({ filter: ' ' })).toEqual({ filterText: null })
  })

  test('sends the body that is chosen, and keeps what was typed for the others', () => {
    expect(before).toMatchObject({ body: 'selection', template: '' })
    expect(changes({ template: '{}' })).toEqual({})
    expect(changes({ body: 'template', template: '{}' })).toEqual({
      selection: null,
      template: '{}',
    })
    expect(changes({ body: 'event' })).toEqual({ selection: null })
  })

  test('sends only changed fields, and null for emptied ones', () => {
    expect(changes({ rateLimitPerSecond: '', timeoutSeconds: '20', ordered: true })).toEqual({
      rateLimitPerSecond: null,
      timeoutSeconds: 20,
      ordered: true,
    })
    expect(changes({ retryScheduleSeconds: 'none' })).toEqual({ retryScheduleSeconds: [] })
  })

  test('sends stored headers without their values', () => {
    expect(before.headers).toBe(`x-token: ${MASK}\nx-team: ${MASK}`)
    expect(changes({ headers: `X-Token: ${MASK}\nx-team: red\nx-new:1` })).toEqual({
      headers: [
        { name: 'X-Token' },
        { name: 'x-team', value: 'red' },
        { name: 'x-new', value: '1' },
      ],
    })
    expect(changes({ headers: `x-team: ${MASK}` })).toEqual({ headers: [{ name: 'x-team' }] })
  })

  test('shows labels as lines, and sends them only if they changed', () => {
    expect(before.metadata).toBe('region=eu\nteam=payments')
    expect(changes({ metadata: ' team = payments\n\nregion=eu ' })).toEqual({})
    const changed = { uid: ' ', metadata: 'formula=a=b' }
    expect(changes(changed)).toEqual({ uid: null, metadata: { formula: 'a=b' } })
    expect(changes({ metadata: '' })).toEqual({ metadata: {} })
  })

  test('shows labels that lines cannot have as JSON', () => {
    for (const metadata of [{ a: 'two\nlines' }, { 'a=b': '1' }, { a: ' 1' }, { ' a': '' }]) {
      const shown = valuesOf({ ...webhook, metadata })
      expect(JSON.parse(String(shown.metadata))).toEqual(metadata)
      expect(changesOf(before, shown)).toEqual({ metadata })
    }
    expect(checkWebhook({ ...before, metadata: '{ "a": 1 }' })).toHaveProperty('metadata')
  })
})
