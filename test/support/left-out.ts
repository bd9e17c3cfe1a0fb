import type { TestOptions } from 'vitest'
import { whyMissing } from './installed-program.ts'

declare module 'vitest' {
  interface TaskMeta {
    /** Why a test is left out. */
    leftOut?: string
  }
}

/** The options of tests that need programs beside Node: without one of them, the tests are left out. */
export function needs(...programs: readonly string[]): TestOptions {
  return leftOutFor(firstMissing(programs))
}

/** The same for programs that CI does not have either. */
export function needsOptional(...programs: readonly string[]): TestOptions {
  return optional(firstMissing(programs))
}

const firstMissing = (programs: readonly string[]) =>
  programs.map(whyMissing).find((reason) => reason !== null) ?? null

/**
 * The options of tests that are left out for a reason, which `left-out-report.ts` prints; null: they run. With
 * `POSTHORN_TEST_ALL`, a reason is an error.
 */
export function leftOutFor(reason: string | null): TestOptions {
  return optional(reasonToLeaveOut(reason))
}

/** The same for a reason that CI may have too. */
export function optional(reason: string | null): TestOptions {
  return reason === null ? {} : { skip: true, meta: { leftOut: reason } }
}

/** The reason, unless nothing may be left out. */
export function reasonToLeaveOut(reason: string | null): string | null {
  if (reason === null || !process.env['POSTHORN_TEST_ALL']) return reason
  throw new Error(`${reason}. No test may be left out, because POSTHORN_TEST_ALL is set.`)
}
