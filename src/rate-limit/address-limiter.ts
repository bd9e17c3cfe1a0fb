import { networkOf } from '../lib/address-network.ts'
import { createKeyedLimiter, type KeyedLimiter } from './keyed-limiter.ts'

/** Limits requests by client address, as `createKeyedLimiter` does. */
export function createAddressLimiter(perMinute: number, now?: () => number): KeyedLimiter {
  const limiter = createKeyedLimiter(perMinute, now)
  return { count: (address) => limiter.count(networkOf(address)) }
}

/** Failed authentications that one address may make in a burst, and per minute. */
export const MAX_AUTH_FAILURES = 20

/** Counts only failures, so that one caller cannot lock out others who share its address. */
export function createAuthFailureLimiter(now?: () => number): KeyedLimiter {
  return createAddressLimiter(MAX_AUTH_FAILURES, now)
}
