import { useState } from 'react'
import { usePolling } from '../api/use-polling.ts'
import { useRead } from '../api/use-read.ts'
import { stepsQuery } from '../overview/overview-queries.ts'
import { useSession } from '../session/session.tsx'
import { readFlag, setFlag } from './flags.ts'

const REFRESH_MS = 2_000

/** What a new organization has done so far. Reads nothing once everything is done, or dismissed. */
export function useSteps() {
  const { can, viewer } = useSession()
  const organizationId = viewer.organization.id
  const [hidden, setHidden] = useState(() => readFlag('first-steps-done', organizationId))
  const { data, error, reload } = useRead(
    stepsQuery.query,
    { withWebhooks: can('webhooks:read'), withEvents: can('events:read') },
    { context: stepsQuery.context, pause: hidden },
  )
  const done = data && {
    endpoint: (data.webhooks?.nodes.length ?? 0) > 0,
    eventType: data.eventTypes.length > 0,
    published: (data.events?.nodes.length ?? 0) > 0,
    delivered: (data.succeeded?.nodes.length ?? 0) > 0,
    verified:
      readFlag('secret-shown', organizationId) ||
      (data.testReceiver?.requests.some((request) => request.signatureIsValid) ?? false),
  }
  const isDone = done !== undefined && Object.values(done).every(Boolean)
  usePolling(hidden || isDone ? null : REFRESH_MS, reload)

  return {
    data,
    error,
    done,
    isDone,
    hidden,
    reload,
    hide() {
      setFlag('first-steps-done', organizationId)
      setHidden(true)
    },
  }
}
