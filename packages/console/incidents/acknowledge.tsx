import { Button } from '@mantine/core'
import { useAction } from '../api/use-action.ts'
import { notifyError, notifySuccess } from '../components/notify.ts'
import { Time } from '../components/time.tsx'
import { IncidentAcknowledgeDocument, type IncidentFragment } from '../generated/graphql.ts'
import { useSession } from '../session/session.tsx'

interface AcknowledgeProps {
  readonly incident: IncidentFragment
  /** Of the webhook. */
  readonly name: string
}

/** Takes note of an incident, or withdraws that, if the viewer may. */
export function Acknowledge({ incident, name }: AcknowledgeProps) {
  const { can } = useSession()
  const { run, running } = useAction(IncidentAcknowledgeDocument)
  if (!can('webhooks:write')) return null
  const acknowledged = incident.acknowledgedAt == null
  const label = acknowledged ? 'Acknowledge' : 'Withdraw acknowledgment'

  async function acknowledge() {
    const outcome = await run({ id: incident.id, acknowledged })
    if (!outcome.ok) return notifyError(outcome.message)
    notifySuccess(acknowledged ? 'Incident acknowledged.' : 'Acknowledgment withdrawn.')
  }

  return (
    <Button
      size="xs"
      px={8}
      variant="default"
      loading={running}
      aria-label={`${label}: ${name}`}
      onClick={acknowledge}
    >
      {acknowledged ? label : 'Withdraw'}
    </Button>
  )
}

/** `Ada Lovelace <ada@example.com>` -> `Ada Lovelace` */
const shortName = (person: string | null | undefined) => person?.replace(/ <[^<>]+>$/, '') ?? ''

/** Who takes note of an incident: "Acknowledged by Ada 5 min ago." */
export function Acknowledgment({ incident }: Pick<AcknowledgeProps, 'incident'>) {
  const { acknowledgedAt, acknowledgedBy } = incident
  if (acknowledgedAt == null) return null
  return (
    <>
      Acknowledged by {shortName(acknowledgedBy)} <Time at={acknowledgedAt} as="relative" />.
    </>
  )
}
