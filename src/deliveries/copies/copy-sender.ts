import type { Settings } from '../../config/settings.ts'
import { createLimitedSender, type LimitedSender } from '../limited-sender.ts'

/** Copies of each organization per minute, in each process. */
export const MAX_COPIES_PER_MINUTE = 10

/** Sends copies of deliveries. */
export type CopySender = LimitedSender

export function createCopySender(settings: Settings): CopySender {
  return createLimitedSender(settings, { perMinute: MAX_COPIES_PER_MINUTE, things: 'copies' })
}
