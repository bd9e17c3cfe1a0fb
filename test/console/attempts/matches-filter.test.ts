import { expect, test } from 'vitest'
import { matchesFilter } from '../../../src/console/attempts/follow/matches-filter.ts'
import type { AttemptFilter } from '../../../src/console/generated/graphql.ts'

const SUCCEEDED = {
  ...{ webhookId: 'wh_a', succeeded: true, status: 200, errorCode: null },
  durationMs: 1_500,
}
const REJECTED = { ...SUCCEEDED, succeeded: false, status: 404 }
const TIMED_OUT = { ...REJECTED, status: null, errorCode: 'response_timed_out' }
const UNKNOWN = { ...REJECTED, status: 999 }

test.each<[what: string, filter: AttemptFilter, matching: object[]]>([
  ['everything', {}, [SUCCEEDED, REJECTED, TIMED_OUT, UNKNOWN]],
  ['two webhooks', { webhookIds: ['wh_b', 'wh_a'] }, [SUCCEEDED, REJECTED, TIMED_OUT, UNKNOWN]],
  ['another webhook', { webhookIds: ['wh_b'] }, []],
  ['successes', { statusClasses: ['SUCCESS_2XX'] }, [SUCCEEDED]],
  ['4xx or none', { statusClasses: ['CLIENT_ERROR_4XX', 'NO_RESPONSE'] }, [REJECTED, TIMED_OUT]],
  ['5xx, as statuses of no class', { statusClasses: ['SERVER_ERROR_5XX'] }, [UNKNOWN]],
  ['causes', { causes: ['404', 'response_timed_out', '200'] }, [REJECTED, TIMED_OUT]],
  ['slow attempts', { minDurationMs: 1_500 }, [SUCCEEDED, REJECTED, TIMED_OUT, UNKNOWN]],
  ['slower attempts', { minDurationMs: 5_000 }, []],
])('a filter for %s matches only these', (_what, filter, matching) => {
  const attempts = [SUCCEEDED, REJECTED, TIMED_OUT, UNKNOWN]
  expect(attempts.filter((attempt) => matchesFilter(attempt, filter))).toEqual(matching)
})
