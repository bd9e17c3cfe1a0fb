import fc from 'fast-check'
import { expect, test } from 'vitest'
import { seededTypes } from '../../src/migrate/seed.ts'
import { operationalTypes } from '../../src/notices/operational-event-types.ts'
import { PRESETS } from '../../src/templates/presets/presets.ts'
import { MAX_SHOWN_FIELDS, shownFields } from '../../src/templates/presets/shown-fields.ts'
import { CHECKS } from './support/limits.ts'
import { render, sourceOf } from './support/render.ts'

const ON_HOLD = 'posthorn.webhook.on_hold'
const types = [...seededTypes(), ...operationalTypes().filter(({ name }) => name === ON_HOLD)]

for (const { target, template } of PRESETS) {
  test.each(types)(`the ${target} body of $name`, (type) => {
    const text = template({ ...type, hasLinks: true })
    expect(text).toMatchSnapshot('template')
    const { event } = sourceOf(JSON.stringify(type.example))
    const body = JSON.parse(render(text, event.data, { event: { ...event, type: type.name } }))
    expect(body).toMatchSnapshot('body')
    CHECKS[target](body)
  })

  test(`${target} accepts every body, whatever the data`, () => {
    const hostile = fc.oneof(
      fc.constantFrom('', ' ', '\n', '<!channel>', '@everyone', '}}', '\ud800', '"', '\u0000'),
      fc.constantFrom(...['x', '"', '😀', '\u0000', ' ', 'é'].map((one) => one.repeat(5_000))),
      fc.string({ unit: 'binary' }),
    )
    const values = fc.oneof(
      hostile,
      fc.constantFrom(null, 0, true, [], {}, [1], { a: 1 }, Array(5_000).fill('x')),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
    )
    const names = [
      'event',
      'attendee',
      'ticket',
      'organization',
      'webhook',
      'summary',
      'last_error',
    ]
    const data = fc.record(
      Object.fromEntries(
        names.map((name) => [
          name,
          fc.oneof(values, fc.record({ id: values, name: values, email: values, host: values })),
        ]),
      ),
      { requiredKeys: [] },
    )
    const texts = types.map((type) => template({ ...type, hasLinks: true }))
    fc.assert(
      fc.property(fc.constantFrom(...texts), data, (text, value) => {
        CHECKS[target](JSON.parse(render(text, JSON.stringify(value))))
      }),
      { numRuns: 500 },
    )
  })

  test(`the ${target} template without links names none, and any type has a template`, () => {
    for (const type of types) {
      expect(template({ ...type, hasLinks: false })).not.toMatch(/delivery\.url|\$\.link/)
    }
    const bare = template({ name: 'a', schema: null, example: null, hasLinks: false })
    CHECKS[target](JSON.parse(render(bare, '{}')))
  })
}

test('names of fields are never read as placeholders or as JSON', () => {
  const example = { '{{ $.a }}': 1, 'a"b': 2, '</script>': 3, ['x'.repeat(300)]: 4, ok: 5 }
  for (const { target, template } of PRESETS) {
    const text = template({ name: 'a.b', schema: null, example, hasLinks: true })
    const body = render(text, JSON.stringify(example))
    CHECKS[target](JSON.parse(body))
    expect(body).toContain('ok')
    expect(body).not.toContain('a"b')
  }
})

test('PagerDuty resolves the alert of a webhook that recovered', () => {
  const recovered = operationalTypes().find(({ name }) => name === 'posthorn.webhook.recovered')
  const onHold = operationalTypes().find(({ name }) => name === ON_HOLD)
  const preset = PRESETS.find(({ target }) => target === 'pagerduty')
  if (!recovered || !onHold || !preset) throw new Error('There is no such type or preset.')
  const text = preset.template({ ...recovered, hasLinks: true })
  const [trigger, resolve] = [onHold, recovered].map(({ example }) =>
    JSON.parse(render(text, JSON.stringify(example))),
  )
  expect(trigger).toMatchObject({ event_action: 'trigger', payload: { severity: 'critical' } })
  expect(resolve).toMatchObject({ event_action: 'resolve', dedup_key: trigger.dedup_key })
})

test('fields of the example come first, those of the schema follow, and at most 8 are shown', () => {
  const schema = {
    type: 'object',
    properties: {
      note: { type: 'string' },
      paid_at: { type: 'string', format: 'date-time' },
      lines: { type: 'array' },
      buyer: { type: 'object', properties: { name: { type: 'string' } } },
    },
  }
  expect(shownFields(schema, { buyer: { id: 1 }, total: 5, at: '2026-01-01T00:00:00Z' })).toEqual([
    { label: 'total', path: '$.total', isTime: false },
    { label: 'at', path: '$.at', isTime: true },
    { label: 'note', path: '$.note', isTime: false },
    { label: 'paid_at', path: '$.paid_at', isTime: true },
    { label: 'buyer.id', path: '$.buyer.id', isTime: false },
    { label: 'buyer.name', path: '$.buyer.name', isTime: false },
  ])
  const many = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`f${i}`, i]))
  expect(shownFields(null, many)).toHaveLength(MAX_SHOWN_FIELDS)
  expect(shownFields(null, null)).toEqual([])
})
