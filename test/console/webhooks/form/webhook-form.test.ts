import { describe, expect, test } from 'vitest'
import {
  fillIn,
  headerRow,
  hideAgain,
  storedHeaderRow,
} from '../../../../packages/console/webhooks/form/header-row.ts'
import {
  checkWebhook,
  errorsOf,
} from '../../../../packages/console/webhooks/form/webhook-form-rules.ts'
import {
  changesOf,
  inputOf,
  NEW_WEBHOOK,
  newWebhookOf,
  valuesOf,
  type WebhookFormValues,
} from '../../../../packages/console/webhooks/form/webhook-form-values.ts'
import { findUrlProblem } from '../../../../src/outbound/destination-url.ts'
import { createAddressGuard } from '../../../../src/outbound/public-address.ts'
import { newWebhookRule } from '../../../../src/webhooks/webhook-settings.ts'

const GOOD: WebhookFormValues = {
  ...NEW_WEBHOOK,
  url: 'https://example.com/webhooks',
  eventSubscriptions: ['order.shipped'],
}
const withHeaders = (...headers: [string, string][]) => ({
  ...GOOD,
  headers: headers.map(([name, value]) => headerRow(name, value)),
})

/** Whether the server accepts what the form sends. */
function serverAccepts(values: WebhookFormValues): boolean {
  const { headers, filterText, ...fields } = newWebhookOf(values)
  const input = { ...fields, filter: filterText }
  const record = Object.fromEntries(headers.map(({ name, value }) => [name, value]))
  const isRepeated = Object.keys(record).length < headers.length
  return (
    !isRepeated &&
    newWebhookRule.safeParse({ ...input, headers: record }).success &&
    findUrlProblem(input.url, createAddressGuard([])) === null
  )
}

describe('the form and the server', () => {
  const long = (length: number) => `https://example.com/${'x'.repeat(length - 20)}`
  test.each<[string, string | null, WebhookFormValues]>([
    ['a plain address', null, GOOD],
    ['spaces around the address', null, { ...GOOD, url: ` ${GOOD.url} ` }],
    ['a port', null, { ...GOOD, url: 'https://example.com:8443/' }],
    ['a query', null, { ...GOOD, url: 'https://example.com/?a=%20b' }],
    ['2,048 characters', null, { ...GOOD, url: long(2_048) }],
    ['2,049 characters', 'url', { ...GOOD, url: long(2_049) }],
    ['no address', 'url', { ...GOOD, url: ' ' }],
    ['http', 'url', { ...GOOD, url: 'http://example.com/' }],
    ['no host', 'url', { ...GOOD, url: 'https:///path' }],
    ['a space within', 'url', { ...GOOD, url: 'https://example.com/a b' }],
    ['a backslash', 'url', { ...GOOD, url: 'https:\\\\example.com\\' }],
    ['credentials', 'url', { ...GOOD, url: 'https://me:secret@example.com/' }],
    ['a fragment', 'url', { ...GOOD, url: 'https://example.com/#top' }],
    ['a privileged port', 'url', { ...GOOD, url: 'https://example.com:22/' }],
    ['a description of 1,000', null, { ...GOOD, description: 'x'.repeat(1_000) }],
    ['a description of 1,001', 'description', { ...GOOD, description: 'x'.repeat(1_001) }],
    ['a filter', null, { ...GOOD, filter: '{ "path": "$.a", "op": "exists" }' }],
    ['a filter without a value', 'filter', { ...GOOD, filter: '{"path":"$.a","value":}' }],
    ['no event types', 'eventSubscriptions', { ...GOOD, eventSubscriptions: [] }],
    ['a rate of 10,000', null, { ...GOOD, rateLimitPerSecond: 10_000 }],
    ['a rate of 10,001', 'rateLimitPerSecond', { ...GOOD, rateLimitPerSecond: 10_001 }],
    ['a rate of 0', 'rateLimitPerSecond', { ...GOOD, rateLimitPerSecond: 0 }],
    ['a concurrency of 0.5', 'maxInFlight', { ...GOOD, maxInFlight: 0.5 }],
    ['a concurrency of 200', null, { ...GOOD, maxInFlight: 200 }],
    ['a concurrency of 201', 'maxInFlight', { ...GOOD, maxInFlight: 201 }],
    ['a timeout of 30 seconds', null, { ...GOOD, timeoutSeconds: 30 }],
    ['a timeout of 31 seconds', 'timeoutSeconds', { ...GOOD, timeoutSeconds: 31 }],
    ['no retries', null, { ...GOOD, retryScheduleSeconds: [] }],
    ['a delay of a day', null, { ...GOOD, retryScheduleSeconds: [5, 86_400] }],
    [
      'a delay of more than a day',
      'retryScheduleSeconds.1',
      { ...GOOD, retryScheduleSeconds: [5, 86_401] },
    ],
    ['a delay of 0', 'retryScheduleSeconds.0', { ...GOOD, retryScheduleSeconds: [0] }],
    ['a header', null, withHeaders(['x-token', 'a b\tc'])],
    ['a header without a name', 'headers.0.name', withHeaders(['', 'a'])],
    ['a header with a space', 'headers.0.name', withHeaders(['x token', 'a'])],
    ['a reserved header', 'headers.0.name', withHeaders(['WH-Signature', 'a'])],
    ['the Host header', 'headers.0.name', withHeaders(['Host', 'a'])],
    ['a repeated header', 'headers.1.name', withHeaders(['x-a', '1'], ['X-A', '2'])],
    ['a header without a value', 'headers.0.value', withHeaders(['x-a', ''])],
    ['a value in Greek', 'headers.0.value', withHeaders(['x-a', 'λ'])],
    ['a value with a line break', 'headers.0.value', withHeaders(['x-a', 'a\r\nb'])],
    ['8 KiB of headers', null, withHeaders(['x', 'y'.repeat(8_191)])],
    ['more than 8 KiB of headers', 'headers', withHeaders(['x', 'y'.repeat(8_192)])],
    [
      '33 headers',
      'headers',
      withHeaders(...Array.from({ length: 33 }, (_, i): [string, string] => [`x-${i}`, 'a'])),
    ],
  ])('agree on %s', (_what, wrong, values) => {
    expect(Object.keys(checkWebhook(values))).toEqual(wrong === null ? [] : [wrong])
    expect(serverAccepts(values)).toBe(wrong === null)
  })
})

test('a stored header needs no value, and the value of another one is checked', () => {
  const stored = storedHeaderRow('x-token')
  expect(checkWebhook({ ...GOOD, headers: [stored] })).toEqual({})
  const typed = { ...stored, value: 'λ' }
  expect(Object.keys(checkWebhook({ ...GOOD, headers: [typed] }))).toEqual(['headers.0.value'])
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

  test('without changes sends nothing', () => {
    expect(changesOf(before, before)).toEqual({})
    expect(changesOf(before, { ...before, url: ` ${before.url} ` })).toEqual({})
  })

  test('keeps patterns, and sends a filter only if more than its spaces changed', () => {
    expect(before.eventSubscriptions).toEqual(['order.*'])
    const spaced = '{ "path": "$.a",\n "op": "exists" }'
    expect(changesOf(before, { ...before, filter: spaced })).toEqual({})
    const filter = spaced.replace('$.a', '$.b')
    expect(changesOf(before, { ...before, filter })).toEqual({
      filterText: '{"path":"$.b","op":"exists"}',
    })
    expect(changesOf(before, { ...before, filter: ' ' })).toEqual({ filterText: null })
  })

  test('sends the body that is chosen, and keeps what was typed for the others', () => {
    expect(before).toMatchObject({ body: 'selection', template: '' })
    expect(changesOf(before, { ...before, template: '{}' })).toEqual({})
    expect(changesOf(before, { ...before, body: 'template', template: '{}' })).toEqual({
      selection: null,
      template: '{}',
    })
    expect(changesOf(before, { ...before, body: 'event' })).toEqual({ selection: null })
    const empty = checkWebhook({ ...GOOD, body: 'template', template: ' ' })
    expect(Object.keys(empty)).toEqual(['template'])
  })

  test('sends only changed fields, and null for emptied ones', () => {
    const after = { ...before, rateLimitPerSecond: '', timeoutSeconds: '20', ordered: true }
    expect(changesOf(before, after)).toEqual({
      rateLimitPerSecond: null,
      timeoutSeconds: 20,
      ordered: true,
    })
    expect(changesOf(before, { ...before, retryScheduleSeconds: [] })).toEqual({
      retryScheduleSeconds: [],
    })
  })

  const [token, team] = before.headers
  if (!token || !team) throw new Error('The form has no rows.')

  test('sends stored headers without their values', () => {
    const rows = [
      { ...token, name: ' X-Token ' },
      { ...team, value: 'red' },
      headerRow('x-new', '1'),
    ]
    expect(changesOf(before, { ...before, headers: rows })).toEqual({
      headers: [
        { name: 'X-Token' },
        { name: 'x-team', value: 'red' },
        { name: 'x-new', value: '1' },
      ],
    })
    expect(changesOf(before, { ...before, headers: [team] })).toEqual({
      headers: [{ name: 'x-team' }],
    })
  })

  test('that only reveals values changes nothing, and keeps what was typed before', () => {
    const values = new Map([
      ['x-token', 'secret'],
      ['x-team', 'blue'],
    ])
    const revealed = fillIn([token, { ...team, value: 'red' }], values)
    expect(revealed.map(({ value }) => value)).toEqual(['secret', 'red'])
    expect(changesOf(before, { ...before, headers: fillIn([token, team], values) })).toEqual({})
    expect(hideAgain(revealed).map(({ value }) => value)).toEqual(['', 'red'])
  })

  test('shows labels as lines, and sends them only if they changed', () => {
    expect(before.metadata).toBe('region=eu\nteam=payments')
    expect(changesOf(before, { ...before, metadata: ' team = payments\n\nregion=eu ' })).toEqual({})
    const changed = { ...before, uid: ' ', metadata: 'formula=a=b' }
    expect(changesOf(before, changed)).toEqual({ uid: null, metadata: { formula: 'a=b' } })
    expect(changesOf(before, { ...before, metadata: '' })).toEqual({ metadata: {} })
    expect(checkWebhook({ ...before, metadata: 'team' })).toHaveProperty('metadata')
  })

  test('shows labels that lines cannot have as JSON', () => {
    for (const metadata of [{ a: 'two\nlines' }, { 'a=b': '1' }, { a: ' 1' }, { ' a': '' }]) {
      const shown = valuesOf({ ...webhook, metadata })
      expect(JSON.parse(shown.metadata)).toEqual(metadata)
      expect(inputOf(shown).metadata).toEqual(metadata)
    }
    expect(checkWebhook({ ...before, metadata: '{ "a": 1 }' })).toHaveProperty('metadata')
  })

  test('asks for the value of a stored header that gets another name', () => {
    const renamed = checkWebhook({ ...before, headers: [{ ...token, name: 'x-key' }] })
    expect(Object.keys(renamed)).toEqual(['headers.0.value'])
  })
})

test('a server error appears beside its field', () => {
  const values = withHeaders(['x-a', '1'], [' x-b ', '2'])
  const issues = [
    { path: ['url'], message: 'It is private.' },
    { path: ['headers', 'x-b'], message: 'No.' },
    { path: ['headers', 'x-b', 'value'], message: 'Not this value.' },
    { path: ['headers', 'x-gone'], message: 'Unknown header.' },
    { path: ['eventSubscriptions', '0'], message: 'Unknown.' },
    { path: ['eventSubscriptions', '1'], message: 'Unknown too.' },
    { path: ['retryScheduleSeconds', '2'], message: 'Too long.' },
  ]
  expect(errorsOf(issues, values)).toEqual({
    url: 'It is private.',
    'headers.1.name': 'No.',
    'headers.1.value': 'Not this value.',
    'headers.x-gone': 'Unknown header.',
    eventSubscriptions: 'Unknown. Unknown too.',
    'retryScheduleSeconds.2': 'Too long.',
  })
})
