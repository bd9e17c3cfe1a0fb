import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { useAction } from '../api/use-action.ts'
import { Id } from '../components/id.tsx'
import {
  OrganizationsCreateDocument,
  type OrganizationsFieldsFragment,
} from '../generated/graphql.ts'
import { consoleOf } from '../place.ts'
import { NameField } from './name-field.tsx'

interface NewOrganizationProps {
  readonly opened: boolean
  onClose(): void
}

/** Makes a tenant, and then offers what it needs next: its first API key. */
export function NewOrganization({ opened, onClose }: NewOrganizationProps) {
  const [made, setMade] = useState<OrganizationsFieldsFragment | null>(null)

  function close() {
    setMade(null)
    onClose()
  }

  return (
    <Modal
      opened={opened}
      onClose={close}
      title={<Text fw={650}>{made ? `${made.name} is there` : 'Create an organization'}</Text>}
    >
      {made ? (
        <Stack>
          <Id id={made.id} />
          <Text size="sm">
            It has no API key and no webhook yet. Make its first API key, so that its programs can
            call the API.
          </Text>
          <Group justify="end" gap="xs">
            <Button variant="default" onClick={close}>
              Later
            </Button>
            <Button component="a" href={consoleOf(made.id, '/api-keys?new=key')} data-autofocus>
              Make its first API key
            </Button>
          </Group>
        </Stack>
      ) : (
        <NewOrganizationForm onMade={setMade} onCancel={close} />
      )}
    </Modal>
  )
}

interface FormProps {
  onMade(made: OrganizationsFieldsFragment): void
  onCancel(): void
}

function NewOrganizationForm({ onMade, onCancel }: FormProps) {
  const { run, running } = useAction(OrganizationsCreateDocument)
  const [name, setName] = useState('')
  const [problem, setProblem] = useState<string>()

  async function submit(event: FormEvent) {
    event.preventDefault()
    const outcome = await run({ name })
    if (outcome.ok) onMade(outcome.value.organization)
    else setProblem(outcome.message)
  }

  return (
    <form onSubmit={submit}>
      <Stack>
        <NameField
          name={name}
          problem={problem}
          onChange={(typed) => {
            setName(typed)
            setProblem(undefined)
          }}
        />
        <Group justify="end" gap="xs">
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
          <Button type="submit" loading={running} disabled={name.trim() === ''}>
            Create
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
