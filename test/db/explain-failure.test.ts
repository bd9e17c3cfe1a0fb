import { expect, test } from 'vitest'
import { ExplainedError, explainFailure } from '../../src/db/explain-failure.ts'

const missingSocket = new Error('connect ENOENT /run/posthorn/.s.PGSQL.5432')

test('an error is explained once, though two threads report it', () => {
  const text = explainFailure(missingSocket)
  expect(text).toContain('Check DATABASE_URL')
  expect(explainFailure(new ExplainedError(text))).toBe(text)
})

test('the remedy for an embedded Postgres names no setting that there is not', () => {
  const text = explainFailure(missingSocket, true)
  expect(text).toContain('The embedded Postgres does not answer (connect ENOENT')
  expect(text).not.toContain('DATABASE_URL')
})
