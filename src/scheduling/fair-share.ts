/**
 * The attempts in flight of an organization may be this many times the free capacity. So one organization alone uses four
 * fifths of the capacity, two use four ninths each, and some capacity is always free for another one.
 */
export const SHARE_OF_FREE = 4

/** How much of a capacity one organization gets, if no other one uses it. */
export function fairShare(capacity: number): number {
  return Math.ceil((capacity * SHARE_OF_FREE) / (SHARE_OF_FREE + 1))
}
