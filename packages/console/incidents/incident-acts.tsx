import { ActionIcon, Button, Group, Menu } from '@mantine/core'
import { IconCheck, IconDots } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useAction } from '../api/use-action.ts'
import { notifyError, notifySuccess } from '../components/notify.ts'
import { IncidentAcknowledgeDocument, type IncidentFragment } from '../generated/graphql.ts'
import { useSession } from '../session/session.tsx'

interface IncidentActsProps {
  readonly incident: IncidentFragment
  /** Of the webhook. */
  readonly name: string
  reload(): void
  /** Further items of the menu. */
  readonly children?: ReactNode
}

/** Acknowledge an incident or withdraw that, as far as the viewer may. */
export function IncidentActs({ incident, name, reload, children }: IncidentActsProps) {
  const { can } = useSession()
  const { run, running } = useAction(IncidentAcknowledgeDocument)
  const mayChange = can('webhooks:write')
  if (!mayChange && !children) return null

  async function acknowledge(acknowledged: boolean) {
    const outcome = await run({ id: incident.id, acknowledged })
    if (!outcome.ok) return notifyError(outcome.message)
    notifySuccess(acknowledged ? 'Incident acknowledged.' : 'Acknowledgment withdrawn.')
    reload()
  }

  const isAcknowledged = incident.acknowledgedAt != null
  return (
    <Group gap={6} wrap="nowrap" justify="end">
      {mayChange && !isAcknowledged && (
        <Button
          visibleFrom="lg"
          size="xs"
          variant="default"
          loading={running}
          aria-label={`Acknowledge: ${name}`}
          onClick={() => acknowledge(true)}
        >
          Acknowledge
        </Button>
      )}
      <Menu position="bottom-end" withArrow>
        <Menu.Target>
          <ActionIcon variant="default" size={30} aria-label={`More actions: ${name}`}>
            <IconDots size={16} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {children}
          {mayChange && (
            <Menu.Item
              leftSection={<IconCheck size={16} />}
              onClick={() => acknowledge(!isAcknowledged)}
            >
              {isAcknowledged ? 'Withdraw acknowledgment' : 'Acknowledge'}
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
    </Group>
  )
}
