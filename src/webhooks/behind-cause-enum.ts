import { builder } from '../graphql/builder.ts'

export const BehindCause = builder.enumType('BehindCause', {
  description: 'Why a webhook is behind: what its oldest waiting delivery waits for.',
  values: {
    RATE_LIMIT: { value: 'rate_limit', description: 'The rate limit of the webhook.' },
    CONCURRENCY_LIMIT: {
      value: 'concurrency_limit',
      description: 'The concurrency limit of the webhook: its endpoint answers too slowly.',
    },
    ORDERED: {
      value: 'ordered',
      description: 'An earlier delivery, because the webhook is ordered.',
    },
    CAPACITY: {
      value: 'capacity',
      description: 'A worker of this installation: there are too few, or none runs.',
    },
    CATCHING_UP: {
      value: 'catching_up',
      description:
        'The backlog of the time when the webhook was on hold or disabled, which is being released.',
    },
  } as const,
})
