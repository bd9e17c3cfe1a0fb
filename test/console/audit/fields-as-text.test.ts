import { expect, test } from 'vitest'
import { fieldsAsText } from '../../../packages/console/audit/fields-as-text.ts'

test('each field of an entry is a line, with texts and JSON of several lines below it', () => {
  const fields = { ordered: false, delays: [5], filter: '{"a":1}', selection: 'query {\n  id\n}' }
  expect(fieldsAsText(fields).split('\n')).toEqual([
    'ordered: false',
    ...['delays: [', '  5', ']'],
    ...['filter: {', '  "a": 1', '}'],
    ...['selection: query {', '  id', '}'],
  ])
  expect(fieldsAsText(null)).toBe('')
})

test('an entry shows no credential of a URL', () => {
  expect(fieldsAsText({ url: 'https://example.com/hooks?token=s3cret' })).not.toContain('s3cret')
})
