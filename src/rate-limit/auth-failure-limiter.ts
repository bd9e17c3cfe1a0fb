import { type AddressLimiter, createAddressLimiter } from './address-limiter.ts'

/** Failed authentications that one address may make in a burst, and per minute. */
export const MAX_AUTH_FAILURES = 20

/** Counts only failures, so that one caller cannot lock out others who share its address. */
export type AuthFailureLimiter = AddressLimiter

export function createAuthFailureLimiter(now?: () => number): AuthFailureLimiter {
  return createAddressLimiter(MAX_AUTH_FAILURES, now)
}
