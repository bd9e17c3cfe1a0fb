import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { WebhookTroubleFragment } from '../generated/graphql.ts'
import { useSession } from '../session/session.tsx'
import { ConfirmChange } from '../webhooks/actions/webhook-change.tsx'
import { IncidentActs } from './incident-acts.tsx'
import { nameOf, type Row } from './incident-row.ts'
import { Remedies, useHasRemedies } from './remedies.tsx'

interface RowActsProps {
  readonly row: Row
  reload(): void
}

/** What the viewer may do about a row: for an incident, against the trouble and about the incident. */
export function RowActs({ row, reload }: RowActsProps) {
  const { incident, webhook } = row
  if (!webhook) return null
  if (!incident) return <Enable webhook={webhook} name={nameOf(row)} reload={reload} />
  return <OfIncident incident={incident} webhook={webhook} name={nameOf(row)} reload={reload} />
}

interface OfWebhookProps {
  readonly webhook: WebhookTroubleFragment
  readonly name: string
  reload(): void
}

function OfIncident({
  incident,
  webhook,
  name,
  reload,
}: OfWebhookProps & { incident: NonNullable<Row['incident']> }) {
  const [resuming, resume] = useDisclosure()
  const hasRemedies = useHasRemedies(webhook)
  return (
    <>
      <IncidentActs incident={incident} name={name} reload={reload}>
        {hasRemedies && <Remedies webhook={webhook} resume={resume.open} reload={reload} />}
      </IncidentActs>
      <ConfirmChange
        change="resume"
        webhook={webhook}
        opened={resuming}
        close={resume.close}
        done={reload}
      />
    </>
  )
}

function Enable({ webhook, name, reload }: OfWebhookProps) {
  const { can } = useSession()
  const [enabling, enable] = useDisclosure()
  if (!can('webhooks:write')) return null
  return (
    <>
      <Button size="xs" variant="default" aria-label={`Enable: ${name}`} onClick={enable.open}>
        Enable
      </Button>
      <ConfirmChange
        change="enable"
        webhook={webhook}
        opened={enabling}
        close={enable.close}
        done={reload}
      />
    </>
  )
}
