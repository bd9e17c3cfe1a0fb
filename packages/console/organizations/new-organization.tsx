import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { useAction } from '../api/use-action.ts'
import { Id } from '../components/copy-button.tsx'
import { FormButtons } from '../components/forms/form-parts.tsx'
import {
  OrganizationsCreateDocument,
  type OrganizationsFieldsFragment,
} from '../generated/graphql.ts'
import { consoleUrl } from '../mount.ts'
import { NameField } from './name-field.tsx'

/** Creates an organization, then offers to create its first API key. */
export function NewOrganization({ opened, onClose }: { opened: boolean; onClose(): void }) {
  const [created, setCreated] = useState<OrganizationsFieldsFragment | null>(null)

  function close() {
    setCreated(null)
    onClose()
  }

  return (
    <Modal
      opened={opened}
      onClose={close}
      title={
        <Text fw={650}>{created ? `${created.name} was created` : 'Create organization'}</Text>
      }
    >
      {created ? (
        <Stack>
          <Id id={created.id} />
          <Text size="sm">
            The organization has no API keys or webhooks yet. Create its first API key, so that its
            programs can call the API.
          </Text>
          <Group justify="end" gap="xs">
            <Button variant="default" onClick={close}>
              Later
            </Button>
            <Button component="a" href={consoleUrl(created.id, '/api-keys?new=key')} data-autofocus>
              Create first API key
            </Button>
          </Group>
        </Stack>
      ) : (
        <NewOrganizationForm onCreated={setCreated} onCancel={close} />
      )}
    </Modal>
  )
}

interface FormProps {
  onCreated(created: OrganizationsFieldsFragment): void
  onCancel(): void
}

function NewOrganizationForm({ onCreated, onCancel }: FormProps) {
  const { run, running } = useAction(OrganizationsCreateDocument)
  const [name, setName] = useState('')
  const [error, setError] = useState<string>()

  async function submit(event: FormEvent) {
    event.preventDefault()
    const outcome = await run({ input: { name } })
    if (outcome.ok) onCreated(outcome.value.organization)
    else setError(outcome.message)
  }

  return (
    <form onSubmit={submit}>
      <Stack>
        <NameField
          name={name}
          error={error}
          onChange={(typed) => {
            setName(typed)
            setError(undefined)
          }}
        />
        <FormButtons
          action="Create"
          loading={running}
          disabled={name.trim() === ''}
          dismiss={onCancel}
        />
      </Stack>
    </form>
  )
}
