import { enumOf } from '../graphql/enum-of.ts'

export const DeliveryState = enumOf(
  'DeliveryState',
  'The state of a delivery. A redelivery can follow the last three.',
  {
    queued: 'The first attempt is queued or running.',
    retrying:
      'An attempt was made, and the next one is scheduled for `nextAttemptAt`: a retry after a failure, or a redelivery.',
    waiting: 'Parked in the backlog of its webhook: see `parkedReason`.',
    succeeded: 'The receiver answered an attempt with 2xx.',
    exhausted: 'The last attempt of the schedule failed. A redelivery is possible.',
    canceled: 'The delivery was canceled, or its webhook was deleted.',
  },
)

export const ParkedReason = enumOf(
  'ParkedReason',
  'Why a delivery is parked in the backlog of its webhook.',
  {
    disabled: 'The webhook is disabled.',
    on_hold:
      'The webhook is on hold, because its endpoint keeps failing or asked to wait. See `health.onHoldReason`.',
    concurrency_limit: 'The webhook is at its concurrency limit.',
    rate_limit: 'The webhook is at its rate limit.',
    ordered: 'The webhook is ordered, and an earlier delivery has not finished.',
  },
)
