import { z } from 'zod'

export const MESSAGE_ID_KINDS = ['delivery', 'event'] as const

/** An expiry is at most this far away. */
export const MAX_EXPIRY_YEARS = 10

const flag = z
  .boolean('must be true or false')
  .nullable()
  .transform((value) => value ?? false)

/** What a subscription of another program needs. Only GraphQL sets these fields. */
export const endpointFields = {
  /** Checked against the clock of Postgres by check-expiry.ts. */
  expiresAt: z.date('must be a time').nullable(),
  verifyEndpoint: flag,
  endsWhenGone: flag,
  messageIdKind: z
    .enum(MESSAGE_ID_KINDS, `must be one of ${MESSAGE_ID_KINDS.join(', ')}`)
    .nullable()
    .transform((kind) => kind ?? 'delivery'),
}
