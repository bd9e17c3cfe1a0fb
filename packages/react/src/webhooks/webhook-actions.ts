import { useCallback } from 'react'
import type { Result } from '../client/posthorn-error.ts'
import {
  PosthornDeleteWebhookDocument,
  type PosthornDeliveryFragment,
  PosthornResumeWebhookDocument,
  PosthornTestDeliveryDocument,
} from '../generated/graphql.ts'
import { type Action, usePosthornMutation } from '../query/use-posthorn-mutation.ts'

/** Ends the hold of a webhook, so that its backlog is sent. Needs the scope `deliveries:write`. */
export function useResumeWebhook(): Action<[webhookId: string], unknown> {
  const mutation = usePosthornMutation(PosthornResumeWebhookDocument)
  const { run } = mutation
  return { ...mutation, run: useCallback((id: string) => run({ id }), [run]) }
}

/** Deletes a webhook for good. Needs the scope `webhooks:write`. */
export function useDeleteWebhook(): Action<[webhookId: string], unknown> {
  const mutation = usePosthornMutation(PosthornDeleteWebhookDocument)
  const { run } = mutation
  return { ...mutation, run: useCallback((id: string) => run({ id }), [run]) }
}

/** Sends the example of an event type to one webhook. Needs the scope `deliveries:write`. */
export function useTestDelivery(): Action<
  [webhookId: string, eventType: string],
  PosthornDeliveryFragment
> {
  const mutation = usePosthornMutation(PosthornTestDeliveryDocument)
  const { run } = mutation
  const test = useCallback(
    async (webhookId: string, eventType: string): Promise<Result<PosthornDeliveryFragment>> => {
      const result = await run({ id: webhookId, input: { eventType } })
      return result.ok ? { ok: true, value: result.value.delivery } : result
    },
    [run],
  )
  return { ...mutation, run: test }
}
