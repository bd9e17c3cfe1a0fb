import { z } from 'zod'

export const MESSAGE_ID_KINDS = ['delivery', 'event'] as const

const flag = z
  .boolean('must be true or false')
  .nullable()
  .transform((value) => value ?? false)

/** What a subscription of another program needs. Only GraphQL sets these fields. */
export const endpointFields = {
  verifyEndpoint: flag,
  messageIdKind: z
    .enum(MESSAGE_ID_KINDS, `must be one of ${MESSAGE_ID_KINDS.join(', ')}`)
    .nullable()
    .transform((kind) => kind ?? 'delivery'),
}
