import { useEffect, useEffectEvent, useState } from 'react'
import { type Client, useClient } from 'urql'
import { dataOf } from '../../api/request-error.ts'
import { notifyError } from '../../components/notify.ts'
import { usePanel } from '../../components/use-panel.ts'
import {
  FailedOfEventDocument,
  type FailedOfEventQuery,
  type FailedOfEventQueryVariables,
} from '../../generated/graphql.ts'
import { StartTask } from '../../tasks/start-task.tsx'
import type { TargetAction, TaskTarget } from '../../tasks/task-target.ts'

const ACTION: TargetAction = 'REDELIVER'
/** A bulk action takes at most this many ids. */
const MAX_IDS = 1_000

interface RedeliverFailedProps {
  /** Null while nobody asks. */
  readonly eventId: string | null
  onClose(): void
}

/** Asks before it redelivers the failed deliveries of one event, and opens the result. */
export function RedeliverFailed({ eventId, onClose }: RedeliverFailedProps) {
  const client = useClient()
  const task = usePanel('task')
  const [target, setTarget] = useState<TaskTarget | null>(null)

  const ask = useEffectEvent(async (id: string) => {
    try {
      const ids = await failedOfEvent(client, id)
      if (id !== eventId) return
      if (ids.length > 0) return setTarget({ ids })
      notifyError('No delivery of this event is failed any more.')
    } catch (error) {
      notifyError(`The failed deliveries could not be listed: ${(error as Error).message}`)
    }
    onClose()
  })
  useEffect(() => {
    if (eventId === null) setTarget(null)
    else void ask(eventId)
  }, [eventId])

  return (
    <StartTask
      action={ACTION}
      target={target}
      succeeded={0}
      onClose={onClose}
      onStart={(id) => {
        if (id !== null) task.open(id)
      }}
    />
  )
}

async function failedOfEvent(client: Client, id: string): Promise<readonly string[]> {
  const ids: string[] = []
  let after: string | null | undefined = null
  do {
    const variables: FailedOfEventQueryVariables = { id, after }
    const result = await client
      .query(FailedOfEventDocument, variables, { requestPolicy: 'network-only' })
      .toPromise()
    const { event }: FailedOfEventQuery = dataOf(result)
    const page = event?.deliveries
    ids.push(...(page?.nodes.map((delivery) => delivery.id) ?? []))
    after = page?.pageInfo.hasNextPage ? page.pageInfo.endCursor : null
  } while (after != null && ids.length < MAX_IDS)
  return ids.slice(0, MAX_IDS)
}
