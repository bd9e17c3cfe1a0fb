import fc from 'fast-check'
import { expect, test } from 'vitest'
import { CHECKS, templateText } from './support/limits.ts'
import { render } from './support/render.ts'

test.each(Object.entries(CHECKS))('%s accepts the body of any data', (target, check) => {
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
  const data = fc.record({ summary: values, attendee: values }, { requiredKeys: [] })
  const text = templateText(target)
  fc.assert(
    fc.property(data, fc.constantFrom(null, 'https://example.com'), (value, publicUrl) => {
      check(JSON.parse(render(text, JSON.stringify(value), { publicUrl })))
    }),
    { numRuns: 500 },
  )
  expect(render(text, '{"summary": "It is paid."}')).toContain('It is paid.')
})
