import { useCallback } from 'react'
import type { Result } from '../client/posthorn-error.ts'
import { PosthornRedeliverDocument } from '../generated/graphql.ts'
import { type Action, usePosthornMutation } from '../query/use-posthorn-mutation.ts'
import type { Delivery } from './use-deliveries.ts'

/** Queues another attempt of a delivery, with the same id for the receiver. Needs the scope `deliveries:write`. */
export function useRedeliver(): Action<[deliveryId: string], Delivery> {
  const mutation = usePosthornMutation(PosthornRedeliverDocument)
  const { run } = mutation
  const redeliver = useCallback(
    async (id: string): Promise<Result<Delivery>> => {
      const result = await run({ id })
      return result.ok ? { ok: true, value: result.value.delivery } : result
    },
    [run],
  )
  return { ...mutation, run: redeliver }
}
