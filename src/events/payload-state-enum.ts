import { enumOf } from '../graphql/enum-of.ts'

export const PayloadState = enumOf('PayloadState', 'Whether a payload is still there.', {
  kept: 'The payload is there.',
  not_kept:
    'The payload was delivered, and is not kept afterwards: `keepPayloads` of the organization or the webhook is false.',
  erased: 'Somebody erased the payload.',
})
