import { Button } from '@mantine/core'
import { useState } from 'react'
import { type Client, type OperationResult, useClient } from 'urql'
import { describeError } from '../../api/request-error.ts'
import { notifyError } from '../../components/notify.ts'
import {
  type DeliveryCountsFragment,
  FailedOfEventDocument,
  type FailedOfEventQuery,
} from '../../generated/graphql.ts'
import { formatCount } from '../../lib/format.ts'
import { useSession } from '../../session/session.tsx'
import type { TaskTarget } from '../../tasks/bulk-action.ts'
import { StartTask } from '../../tasks/start-task.tsx'
import { MAX_COUNTED } from './delivered.tsx'

interface RedeliverFailedProps {
  readonly eventId: string
  readonly counts: DeliveryCountsFragment | null | undefined
}

/** Redelivers all failed deliveries of one event. Nothing without any. */
export function RedeliverFailed({ eventId, counts }: RedeliverFailedProps) {
  const client = useClient()
  const { can } = useSession()
  const [reading, setReading] = useState(false)
  const [target, setTarget] = useState<TaskTarget | null>(null)
  const isExact = counts != null && counts.total < MAX_COUNTED
  const failed = counts ? counts.exhausted + counts.retrying : 0

  async function ask() {
    setReading(true)
    const { ids, error } = await readFailed(client, eventId)
    setReading(false)
    if (error) notifyError(describeError(error).message)
    else setTarget({ ids })
  }

  if (!can('deliveries:write') || (failed === 0 && target === null)) return null
  return (
    <>
      <Button size="xs" variant="default" loading={reading} onClick={ask}>
        {`Redeliver the ${formatCount(failed)}${isExact ? '' : '+'} failed`}
      </Button>
      <StartTask action="REDELIVER" target={target} succeeded={0} onClose={() => setTarget(null)} />
    </>
  )
}

/** The ids of all pages: no filter of a bulk action takes an event. */
async function readFailed(client: Client, id: string) {
  const ids: string[] = []
  let after: string | null | undefined
  do {
    const { data, error }: OperationResult<FailedOfEventQuery> = await client
      .query(FailedOfEventDocument, { id, after }, { requestPolicy: 'network-only' })
      .toPromise()
    const { nodes = [], pageInfo } = data?.event?.deliveries ?? {}
    if (error) return { ids, error }
    ids.push(...nodes.map((delivery) => delivery.id))
    after = pageInfo?.hasNextPage ? pageInfo.endCursor : null
  } while (after)
  return { ids }
}
