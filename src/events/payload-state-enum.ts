import { builder } from '../graphql/builder.ts'

export const PayloadState = builder.enumType('PayloadState', {
  description: 'Whether a payload is still there.',
  values: {
    KEPT: { value: 'kept', description: 'The payload is there.' },
    NOT_KEPT: {
      value: 'not_kept',
      description:
        'The payload was delivered, and is not kept afterwards: `keepPayloads` of the organization or the webhook is false.',
    },
    ERASED: { value: 'erased', description: 'Somebody erased the payload.' },
  } as const,
})
