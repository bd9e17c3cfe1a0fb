import { ActionIcon, Button, Group, Menu } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconBell, IconBellOff, IconCheck, IconDots, IconUser } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { notifyError } from '../components/notify.ts'
import type { IncidentFragment, UpdateIncidentInput } from '../generated/graphql.ts'
import { t } from '../language/t.ts'
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

  const acknowledge = () => act({ acknowledged: true }, t('Incident acknowledged.'))
  const isAcknowledged = incident.acknowledgedAt != null
  return (
    <Group gap={6} wrap="nowrap" justify="end">
      {mayChange && !isAcknowledged && (
        <Button
          className="ph-in-menu"
          size="xs"
          variant="default"
          loading={running}
          aria-label={t('Acknowledge: {name}', { name })}
          onClick={acknowledge}
        >
          {t('Acknowledge')}
        </Button>
      )}
      <Menu position="bottom-end" withArrow>
        <Menu.Target>
          <ActionIcon variant="default" size={30} aria-label={t('More actions: {name}', { name })}>
            <IconDots size={16} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {children}
          {mayChange && (
            <>
              <Menu.Item leftSection={<IconUser size={16} />} onClick={assign.open}>
                {incident.assignee == null ? t('Assign') : t('Assign to another')}
              </Menu.Item>
              {isAcknowledged ? (
                <Menu.Item
                  leftSection={<IconCheck size={16} />}
                  onClick={() => act({ acknowledged: false }, t('Acknowledgment withdrawn.'))}
                >
                  {t('Withdraw acknowledgment')}
                </Menu.Item>
              ) : (
                <Menu.Item leftSection={<IconCheck size={16} />} onClick={acknowledge}>
                  {t('Acknowledge')}
                </Menu.Item>
              )}
              {incident.state === 'SNOOZED' ? (
                <Menu.Item
                  leftSection={<IconBell size={16} />}
                  onClick={() => act({ snoozedUntil: null }, t('Snooze ended.'))}
                >
                  {t('End snooze')}
                </Menu.Item>
              ) : (
                <>
                  {snoozeTimes(new Date()).map(({ label, at }) => (
                    <Menu.Item
                      key={label}
                      leftSection={<IconBellOff size={16} />}
                      onClick={() =>
                        act({ snoozedUntil: at.toISOString() }, t('Incident snoozed.'))
                      }
                    >
                      {label}
                    </Menu.Item>
                  ))}
                  <Menu.Item leftSection={<IconBellOff size={16} />} onClick={snooze.open}>
                    {t('Snooze until another time')}
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
