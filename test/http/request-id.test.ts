import { expect, test } from 'vitest'
import { requestIdOf } from '../../src/http/connection.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

test.each(['a', '7f3c', '{"trace":"~!"}', 'x'.repeat(128)])(
  'the id of the client is used: %s',
  (id) => {
    expect(requestIdOf(id)).toBe(id)
  },
)

test.each([
  ['no header', undefined],
  ['an empty one', ''],
  ['129 characters', 'x'.repeat(129)],
  ['a space', 'a b'],
  ['two headers', 'a, b'],
  ['a line break', 'a\nb'],
  ['a control character', 'a\u007f'],
  ['another script', 'ä'],
])('a new id is made instead of %s', (_case, header) => {
  expect(requestIdOf(header)).toMatch(UUID)
  expect(requestIdOf(header)).not.toBe(requestIdOf(header))
})
