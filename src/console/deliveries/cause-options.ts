import { HINTS } from './failure-hints.ts'

const STATUSES = [
  '400',
  '401',
  '403',
  '404',
  '408',
  '410',
  '413',
  '422',
  '429',
  '500',
  '502',
  '503',
  '504',
]

/** Causes to choose from: usual statuses, and all errors without a response. */
export const CAUSES = [
  ...STATUSES.map((value) => ({ value, label: value })),
  ...Object.keys(HINTS).map((value) => ({ value, label: inWords(value) })),
]

/** Any status can be typed. */
export function causeOf(text: string): string | null {
  return /^[1-9]\d\d$/.test(text) ? text : null
}

/** `response_timed_out` -> `Response timed out` */
function inWords(code: string): string {
  const words = code.replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
