/**
 * For this many days after the last attempt, the payload of an exhausted delivery can still be redelivered, even if payloads
 * are not kept: nobody has received it.
 */
export const DAYS_AFTER_EXHAUSTED = 7
