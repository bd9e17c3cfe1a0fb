import { builder } from '../graphql/builder.ts'

export const UnsentDeliveries = builder.enumType('UnsentDeliveries', {
  description:
    'What becomes of the deliveries that are not sent yet, when their contents are erased.',
  values: {
    SEND_FIRST: {
      value: 'send_first',
      description:
        'The event is erased once each of its deliveries has succeeded, is exhausted or was canceled. The erasure waits for that.',
    },
    CANCEL: { value: 'cancel', description: 'They are canceled, and the event is erased at once.' },
  } as const,
})
