import { type AddressBudget, createAddressBudget } from './address-budget.ts'

/** How often an address may present keys that are none, before it is told to wait: at once, and per minute. */
export const MAX_FAILURES = 20

/** Only failures are counted, so that whoever shares an address with a good caller cannot lock them out. */
export type FailedAttempts = AddressBudget

export function createFailedAttempts(now?: () => number): FailedAttempts {
  return createAddressBudget(MAX_FAILURES, now)
}
