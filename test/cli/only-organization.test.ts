import { expect, test } from 'vitest'
import { onlyOrganization } from '../../src/cli/installation/only-organization.ts'

const fairs = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ id: `org_${n}`, name: `Fair ${n}` }))

test('the only organization', () => {
  expect(onlyOrganization(fairs(1))).toEqual({ id: 'org_0', name: 'Fair 0' })
})

test('of several, the error lists the options to choose from', () => {
  expect(() => onlyOrganization(fairs(2))).toThrow(
    new Error(
      'There are 2 organizations. Choose one:\n  --organization org_0  Fair 0\n  --organization org_1  Fair 1',
    ),
  )
})

test('of many, the error lists ten and says how to list all', () => {
  const choose = () => onlyOrganization(fairs(12))
  expect(choose).toThrow(/^There are 12 organizations\. (.*\n){10}.*org_9 .*\n.*list shows all\)$/)
})

test('of none, the error says how to create the first', () => {
  expect(() => onlyOrganization([])).toThrow(
    new Error('There is no organization. Create one: posthorn organization create <name>'),
  )
})
