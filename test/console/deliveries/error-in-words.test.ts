import { expect, test } from 'vitest'
import { errorInWords } from '../../../src/console/deliveries/error-in-words.ts'

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
