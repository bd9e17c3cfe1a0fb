import { Button } from '@mantine/core'
import { useState } from 'react'
import { useClient } from 'urql'
import { describeError } from '../../api/request-error.ts'
import { notifyError } from '../../components/notify.ts'
import { type DeliveryCountsFragment, FailedOfEventDocument } from '../../generated/graphql.ts'
import { formatCount } from '../../lib/format.ts'
import { useSession } from '../../session/session.tsx'
import type { TaskTarget } from '../../tasks/bulk-action.ts'
import { StartTask } from '../../tasks/start-task.tsx'

interface RedeliverFailedProps {
  readonly eventId: string
  readonly counts: DeliveryCountsFragment | null | undefined
}

/** Redelivers the failed deliveries of one event, at most a hundred at once. Nothing without any. */
export function RedeliverFailed({ eventId, counts }: RedeliverFailedProps) {
  const client = useClient()
  const { can } = useSession()
  const [target, setTarget] = useState<TaskTarget | null>(null)
  const failed = counts ? counts.exhausted + counts.retrying : 0

  async function ask() {
    const { data, error } = await client
      .query(FailedOfEventDocument, { id: eventId }, { requestPolicy: 'network-only' })
      .toPromise()
    if (error) return notifyError(describeError(error).message)
    setTarget({ ids: data?.event?.deliveries?.nodes.map(({ id }) => id) ?? [] })
  }

  if (!can('deliveries:write') || (failed === 0 && target === null)) return null
  return (
    <>
      <Button size="xs" variant="default" onClick={ask}>
        {`Redeliver the ${formatCount(failed)} failed`}
      </Button>
      <StartTask action="REDELIVER" target={target} succeeded={0} onClose={() => setTarget(null)} />
    </>
  )
}
