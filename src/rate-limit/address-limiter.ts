import { networkOf } from '../lib/address-network.ts'
import { createKeyedLimiter } from './keyed-limiter.ts'

/** Limits requests by client address, in this process only. */
export interface AddressLimiter {
  /** Counts a request. Returns the seconds until the next one is allowed; 0 within the limit. */
  count(address: string): number
}

/** `perMinute` is the limit of each address. An idle address may use all of it at once. */
export function createAddressLimiter(perMinute: number, now?: () => number): AddressLimiter {
  const limiter = createKeyedLimiter(perMinute, now)
  return { count: (address) => limiter.count(networkOf(address)) }
}

/** Failed authentications that one address may make in a burst, and per minute. */
export const MAX_AUTH_FAILURES = 20

/** Counts only failures, so that one caller cannot lock out others who share its address. */
export function createAuthFailureLimiter(now?: () => number): AddressLimiter {
  return createAddressLimiter(MAX_AUTH_FAILURES, now)
}
