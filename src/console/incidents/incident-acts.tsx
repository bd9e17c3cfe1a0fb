import { ActionIcon, Button, Group, Menu } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconBell, IconBellOff, IconCheck, IconDots, IconUser } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { notifyError } from '../components/notify.ts'
import type { IncidentFragment, UpdateIncidentInput } from '../generated/graphql.ts'
import { useSession } from '../session/session.tsx'
import { AssignDialog, SnoozeDialog } from './incident-dialogs.tsx'
import { snoozeTimes } from './snooze-times.ts'
import { useIncidentUpdate } from './use-incident-update.ts'

interface IncidentActsProps {
  readonly incident: IncidentFragment
  /** Of the webhook. */
  readonly name: string
  reload(): void
  /** Further items of the menu. */
  readonly children?: ReactNode
}

/** Acknowledge, snooze and assign an incident, as far as the viewer may. */
export function IncidentActs({ incident, name, reload, children }: IncidentActsProps) {
  const { can } = useSession()
  const [assigning, assign] = useDisclosure()
  const [snoozing, snooze] = useDisclosure()
  const { change, running } = useIncidentUpdate(incident.id, reload)
  const mayChange = can('webhooks:write')
  if (!mayChange && !children) return null

  async function act(input: UpdateIncidentInput, success: string) {
    const failure = await change(input, success)
    if (failure !== null) notifyError(failure)
  }

  const isAcknowledged = incident.acknowledgedAt != null
  return (
    <Group gap={6} wrap="nowrap" justify="end">
      {mayChange && !isAcknowledged && (
        <Button
          size="xs"
          variant="default"
          loading={running}
          aria-label={`Acknowledge: ${name}`}
          onClick={() => act({ acknowledged: true }, 'Incident acknowledged.')}
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
            <>
              <Menu.Item leftSection={<IconUser size={16} />} onClick={assign.open}>
                {incident.assignee == null ? 'Assign' : 'Assign to another'}
              </Menu.Item>
              {isAcknowledged && (
                <Menu.Item
                  leftSection={<IconCheck size={16} />}
                  onClick={() => act({ acknowledged: false }, 'Acknowledgment withdrawn.')}
                >
                  Withdraw acknowledgment
                </Menu.Item>
              )}
              {incident.state === 'SNOOZED' ? (
                <Menu.Item
                  leftSection={<IconBell size={16} />}
                  onClick={() => act({ snoozedUntil: null }, 'Snooze ended.')}
                >
                  End snooze
                </Menu.Item>
              ) : (
                <>
                  <Menu.Label>Snooze</Menu.Label>
                  {snoozeTimes(new Date()).map(({ label, at }) => (
                    <Menu.Item
                      key={label}
                      leftSection={<IconBellOff size={16} />}
                      onClick={() => act({ snoozedUntil: at.toISOString() }, 'Incident snoozed.')}
                    >
                      {label}
                    </Menu.Item>
                  ))}
                  <Menu.Item leftSection={<IconBellOff size={16} />} onClick={snooze.open}>
                    Until another time
                  </Menu.Item>
                </>
              )}
            </>
          )}
        </Menu.Dropdown>
      </Menu>
      {assigning && (
        <AssignDialog incident={incident} opened close={assign.close} change={change} />
      )}
      {snoozing && <SnoozeDialog incident={incident} opened close={snooze.close} change={change} />}
    </Group>
  )
}
