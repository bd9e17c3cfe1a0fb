import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { MAX_CHALLENGES_PER_MINUTE } from '../../src/deliveries/challenges/challenge-sender.ts'
import { UNVERIFIED_REASONS } from '../../src/webhooks/endpoint/endpoint-unverified.ts'

const ROOT = path.join(import.meta.dirname, '../..')
const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8')
const page = read('docs/guides/endpoint-verification.md')

test('the page names each reason and each bound', () => {
  for (const reason of Object.keys(UNVERIFIED_REASONS)) {
    expect(page).toContain(`\`${reason.toUpperCase()}\``)
  }
  expect(page).toContain(`${MAX_CHALLENGES_PER_MINUTE} challenges a minute`)
})
