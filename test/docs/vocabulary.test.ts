import { expect, test } from 'vitest'
import { PAGES, proseOf, READMES } from './support/pages.ts'

/* One word per idea: CONTRIBUTING.md lists the words. These are not used, in any page. */
const NOT_USED: Readonly<Record<string, RegExp>> = {
  'announce: say notify': /\bannounc\w+/i,
  'anew: say again': /\banew\b/i,
  'at hand: name the thing': /\bat hand\b/i,
  'dead letter: say exhausted delivery': /\bdead[- ]letters?\b/i,
  'door, fence, gate: name the check': /\b(doors?|fences?|fenced|gates?|gated)\b/i,
  'hand over: say pass': /\bhand(s|ed|ing)? over\b/i,
  'owed, presume, tidy: say what is so': /\b(owed|presum\w+|tid(y|ies|ied))\b/i,
  'set aside: say park': /\bsets? aside\b/i,
  'slot: say permit or reservation': /(?<!replication )\bslots?\b/i,
  'whoever, whatever: name the person or the thing': /\b(whoever|whatever)\b/i,
}

/** The changelog has the words of its time. */
const pages = [...PAGES, ...READMES].filter((page) => page !== 'CHANGELOG.md')

function found(text: string): string[] {
  return Object.entries(NOT_USED).flatMap(([rule, pattern]) =>
    text
      .split('\n')
      .flatMap((line, i) => (pattern.test(line) ? [`line ${i + 1}: ${rule}: ${line.trim()}`] : [])),
  )
}

test.each(pages)('%s has one word for each idea', (page) => {
  expect(found(proseOf(page))).toEqual([])
})
