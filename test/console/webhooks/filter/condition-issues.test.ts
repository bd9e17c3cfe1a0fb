import { expect, test } from 'vitest'
import {
  filterIssues,
  issueAt,
  otherIssues,
} from '../../../../src/console/webhooks/filter/condition-issues.ts'
import { readFilter } from '../../../../src/filters/read-filter.ts'

/** What the server says about a filter, as GraphQL has it. */
function issuesOf(text: string) {
  const { issues } = readFilter(text, ['filter'])
  return filterIssues(
    issues.map(({ path, detail }) => ({ path: path.map(String), message: detail })),
  )
}

test('an issue of a condition stands at its field, without the name of the field', () => {
  const issues = issuesOf(
    '{"all":[{"path":"$.a","op":"less","value":"b"},{"path":"a","op":"exists"}]}',
  )
  expect(issueAt(issues, 'all.0', 'value')).toMatch(/^Must be a number, or an RFC 3339 time/)
  expect(issueAt(issues, 'all.1', 'path')).toMatch(/^Must be a path such as/)
  expect(issueAt(issues, 'all.1', 'value')).toBeNull()
  expect(otherIssues(issues, ['all.0', 'all.1'])).toEqual([])
})

test('an issue that no row has says where it is', () => {
  const issues = issuesOf('{"all":[{"path":"$.a","op":"exists"},{"any":[]}]}')
  expect(otherIssues(issues, ['all.0'])).toEqual([
    'all.1.any: Must be a list of one or more filters.',
  ])
  const leaf = '{"path":"$.a","op":"exists"}'
  const many = issuesOf(`{"all":[${Array(21).fill(leaf)}]}`)
  expect(otherIssues(many, [''])).toEqual(['Must have at most 20 conditions, not 21.'])
})
