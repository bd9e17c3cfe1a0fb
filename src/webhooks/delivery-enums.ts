import { builder } from '../graphql/builder.ts'

export const DeliveryState = builder.enumType('DeliveryState', {
  description: 'The state of a delivery. The last three are final, unless it is redelivered.',
  values: {
    QUEUED: { value: 'queued', description: 'The first attempt is queued or running.' },
    RETRYING: {
      value: 'retrying',
      description:
        'An attempt was made, and the next one is scheduled for `nextAttemptAt`: a retry after a failure, or a redelivery.',
    },
    WAITING: {
      value: 'waiting',
      description:
        'Parked in the backlog of its webhook. `parkedReason` says why. Waiting uses up no attempts.',
    },
    SUCCEEDED: { value: 'succeeded', description: 'The receiver answered an attempt with 2xx.' },
    EXHAUSTED: {
      value: 'exhausted',
      description:
        'The last attempt of the retry schedule failed. The delivery can still be redelivered.',
    },
    CANCELED: {
      value: 'canceled',
      description: 'The delivery was canceled, or its webhook was deleted.',
    },
  } as const,
})

export const ParkedReason = builder.enumType('ParkedReason', {
  description: 'Why a delivery is parked in the backlog of its webhook.',
  values: {
    DISABLED: { value: 'disabled', description: 'The webhook is disabled.' },
    ON_HOLD: {
      value: 'on_hold',
      description:
        'The webhook is on hold, because its endpoint keeps failing or asked to wait. See `health.onHoldReason`.',
    },
    CONCURRENCY_LIMIT: {
      value: 'concurrency_limit',
      description: 'The webhook is at its concurrency limit.',
    },
    RATE_LIMIT: { value: 'rate_limit', description: 'The webhook is at its rate limit.' },
    ORDERED: {
      value: 'ordered',
      description: 'The webhook is ordered, and an earlier delivery has not finished.',
    },
  } as const,
})
