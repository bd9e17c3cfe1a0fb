import { enumOf } from '../graphql/enum-of.ts'
import { PARKED_REASONS } from './webhook-state.ts'

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
  'What a delivery in the backlog of its webhook waits for. Of a hold, `health.onHoldReason` says more.',
  PARKED_REASONS,
)

export const WebhookState = enumOf(
  'WebhookState',
  'The state of a webhook, evaluated within seconds. If several hold, it is the last of them in this list.',
  {
    no_deliveries: 'No attempt was made yet.',
    healthy: 'Nothing of the below.',
    degraded:
      'Of the deliveries that were first attempted in the last 15 minutes, at least 10, at least 10 % failed, and at least 3. Ends when less than 5 % fail.',
    behind:
      'The oldest delivery that waits for the webhook or for a worker, and not for a retry, was created more than 5 minutes ago: see `behindCause`. Ends when it is younger than a minute.',
    failing:
      'Nothing succeeds: at least 10 consecutive attempts failed; or at least 3 over at least a minute, and at least half of the first attempts of the last 15 minutes; or no attempt has ever succeeded. Ends with the first success.',
    on_hold:
      'Deliveries are parked, because the endpoint keeps failing or asked to wait: see `onHoldReason`. One probe at a time tests the endpoint; the first success releases the backlog.',
    disabled: 'Not enabled. Nothing is delivered.',
  },
)
