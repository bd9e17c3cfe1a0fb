import { expect, test } from 'vitest'
import { errorInWords } from '../../../src/console/deliveries/error-in-words.ts'
import { causeLabel } from '../../../src/console/deliveries/list/cause-labels.ts'

test.each([
  ['response_timed_out', 'Response timed out'],
  ['no_tls', 'No TLS'],
  ['not_https', 'Not HTTPS'],
])('the code %s reads "%s"', (code, words) => {
  expect(causeLabel(code)).toBe(words)
})

test.each([
  [
    'response_timed_out from https://a.example (attempt 2 of 10)',
    'Response timed out at https://a.example (attempt 2 of 10)',
  ],
  ['HTTP 503 from https://a.example', 'HTTP 503 from https://a.example'],
  ['An operator failed the job.', 'An operator failed the job.'],
])('the error "%s" reads "%s"', (error, words) => {
  expect(errorInWords(error)).toBe(words)
})
