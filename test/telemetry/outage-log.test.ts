import { beforeEach, expect, test } from 'vitest'
import { unavailable } from '../../src/db/faults.ts'
import { NO_FREE_CONNECTION } from '../../src/db/pools.ts'
import type { Logger } from '../../src/telemetry/logger.ts'
import { createOutageLog, type OutageLog } from '../../src/telemetry/outages.ts'

let lines: string[]
let fields: object[]
let nowMs: number
let outages: OutageLog

beforeEach(() => {
  lines = []
  fields = []
  nowMs = 0
  const log = (level: string) => (facts: object, message: string) => {
    fields.push(facts)
    lines.push(`${level}: ${message.split(/[.;]/)[0]}`)
  }
  const logger = Object.fromEntries(
    ['debug', 'info', 'warn', 'error', 'fatal'].map((level) => [level, log(level)]),
  )
  outages = createOutageLog(logger as unknown as Logger, undefined, () => nowMs)
})

const errorOf = (code: string, message = 'reason') => Object.assign(new Error(message), { code })
const BEGINS = 'warn: Postgres is unavailable'
const FULL = 'error: The disk of Postgres is full'
const ENDS = 'info: Postgres is available again'

test('an outage does not end while statements still fail, although others succeed', () => {
  for (let second = 0; second < 100; second++) {
    nowMs += 1_000
    outages.report(errorOf('53300'))
    outages.answered()
  }
  expect(lines).toEqual([BEGINS])
})

test('a full disk is called a full disk, once, also if a publisher tries again only every half minute', () => {
  for (let minute = 0; minute < 10; minute += 0.5) {
    expect(outages.report(errorOf('53100', 'could not extend file'))).toBe(true)
    nowMs += 30_000
    outages.answered()
  }
  expect(lines).toEqual([FULL])
  nowMs += 60_000
  outages.answered()
  expect(lines).toEqual([FULL, ENDS])
})

test('a deadlock, a transaction that took too long and a busy pool are no outage, and have no end', () => {
  for (const error of [errorOf('40P01'), errorOf('P2028'), new Error(NO_FREE_CONNECTION)]) {
    expect(outages.report(error)).toBe(true)
  }
  nowMs += 60_000
  outages.answered()
  expect(fields).toMatchObject([
    { event: 'postgres.contention' },
    { event: 'postgres.time_limit' },
    { event: 'pool.exhausted' },
  ])
})

test('while Postgres is unreachable, waiting for its locks and connections is not reported besides', () => {
  outages.report(errorOf('ETIMEDOUT'))
  for (const error of [errorOf('P2028'), new Error(NO_FREE_CONNECTION)]) {
    expect(outages.report(error)).toBe(true)
  }
  expect(lines).toEqual([BEGINS])
})

test('the log has the reason without a stack, also of Prisma, whose message begins with source code', () => {
  const ofPrisma = '\nInvalid `find()` invocation in\n\n  1 code\n\nNo server at 127.0.0.1:1'
  outages.report(unavailable(errorOf('P1001', ofPrisma)))
  const error = { code: 'P1001', message: 'No server at 127.0.0.1:1' }
  expect(fields).toMatchObject([{ error }])
  expect(JSON.stringify(fields)).not.toContain('stack')
})

test('an error for another reason is not logged here', () => {
  expect(outages.report(errorOf('23505'))).toBe(false)
  expect(lines).toEqual([])
})
