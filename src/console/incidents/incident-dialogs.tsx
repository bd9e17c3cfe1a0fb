import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { DateTimeInput } from '../components/forms/date-time-input.tsx'
import { FormError } from '../components/forms/form-parts.tsx'
import type { IncidentFragment } from '../generated/graphql.ts'
import { t } from '../language/t.ts'
import type { ChangeIncident } from './use-incident-update.ts'

interface DialogProps {
  readonly incident: IncidentFragment
  readonly opened: boolean
  close(): void
  readonly change: ChangeIncident
}

const DAY_MS = 86_400_000

/** Asks until when to snooze an incident. */
export function SnoozeDialog({ opened, close, change }: DialogProps) {
  const [until, setUntil] = useState<string | null>(() =>
    new Date(Date.now() + DAY_MS).toISOString(),
  )
  return (
    <Form
      title={t('Snooze this incident')}
      action={t('Snooze')}
      opened={opened}
      close={close}
      save={() => change({ snoozedUntil: until }, t('Incident snoozed.'))}
      canSave={until !== null}
    >
      <DateTimeInput
        label={t('Until')}
        description={t(
          'At most 90 days. The incident returns earlier if the state of the webhook gets worse.',
        )}
        value={until}
        onChange={setUntil}
      />
    </Form>
  )
}

/** Asks who takes care of an incident. */
export function AssignDialog({ incident, opened, close, change }: DialogProps) {
  const [name, setName] = useState(incident.assignee ?? '')
  const given = name.trim()
  return (
    <Form
      title={t('Assign this incident')}
      action={given === '' ? t('Assign to nobody') : t('Assign')}
      opened={opened}
      close={close}
      save={() =>
        given === ''
          ? change({ assignee: null }, t('Incident assigned to nobody.'))
          : change({ assignee: given }, t('Incident assigned to {name}.', { name: given }))
      }
      canSave={given !== '' || incident.assignee != null}
    >
      <TextInput
        label={t('Name')}
        description={t(
          'The person or the team that takes care of the incident. Posthorn tells nobody.',
        )}
        maxLength={100}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        data-autofocus
      />
    </Form>
  )
}

interface FormProps extends Pick<DialogProps, 'opened' | 'close'> {
  readonly title: string
  readonly action: string
  /** Resolves to an error message, or null. */
  save(): Promise<string | null>
  readonly canSave: boolean
  readonly children: React.ReactNode
}

function Form({ title, action, opened, close, save, canSave, children }: FormProps) {
  const [error, setError] = useState<string | null>(null)
  const [saving, setSaving] = useState(false)

  async function submit(event: FormEvent) {
    event.preventDefault()
    setSaving(true)
    const failure = await save()
    setSaving(false)
    setError(failure)
    if (failure === null) close()
  }

  return (
    <Modal opened={opened} onClose={close} title={<Text fw={650}>{title}</Text>} centered>
      <form onSubmit={submit}>
        <Stack>
          {children}
          <FormError>{error}</FormError>
          <Group justify="end" gap="xs">
            <Button variant="default" onClick={close}>
              {t('Cancel')}
            </Button>
            <Button type="submit" loading={saving} disabled={!canSave}>
              {action}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
