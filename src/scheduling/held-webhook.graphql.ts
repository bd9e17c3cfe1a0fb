import { ConflictError } from '../graphql/errors.ts'
import { mutation } from '../graphql/mutation.ts'
import { probeWebhook, resumeWebhook } from './held-webhook.ts'

interface HoldMutation {
  readonly description: string
  readonly webhook: string
  readonly result: string
  readonly change: typeof probeWebhook
}

function addMutation(name: string, { description, webhook, result, change }: HoldMutation): void {
  mutation(name, {
    description,
    scope: 'deliveries:write',
    id: 'webhook',
    errors: [ConflictError],
    returns: ['webhook', 'Webhook', webhook],
    success: result,
    run: async ({ id }, context, { organizationId }) => {
      await change(context, organizationId, id)
      return id
    },
  })
}

addMutation('probeWebhook', {
  description:
    'Sends the next probe of a webhook on hold now, instead of at `nextProbeAt`. The probe is one of the oldest waiting deliveries; if it succeeds, the hold ends.',
  webhook: 'The webhook, whose probe is about to be sent.',
  result: 'A worker sends the probe within a second or two.',
  change: probeWebhook,
})

addMutation('resumeWebhook', {
  description:
    'Ends the hold of a webhook without waiting for a successful probe. The backlog is released with a slow start: 10 deliveries in the first second, then twice as many each second. After 10 more consecutive failures, or an answer that asks to wait, the webhook is on hold again.',
  webhook: 'The webhook, no longer on hold.',
  result: 'The webhook is no longer on hold.',
  change: resumeWebhook,
})
