import { Button, Checkbox, Group, Modal, Skeleton, Stack, Text, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { useAction } from '../api/use-action.ts'
import { useRead } from '../api/use-read.ts'
import { FormError } from '../components/forms/form-parts.tsx'
import { notifySuccess } from '../components/notify.ts'
import { QueryError } from '../components/query-error.tsx'
import {
  OrganizationsDeleteDocument,
  type OrganizationsFieldsFragment,
  OrganizationsOneDocument,
} from '../generated/graphql.ts'

interface DeleteOrganizationProps {
  /** The organization to delete, if any. */
  readonly id: string | null
  onClose(): void
  onDeleted(): void
}

export function DeleteOrganization({ id, onClose, onDeleted }: DeleteOrganizationProps) {
  const { data, error, reload } = useRead(
    OrganizationsOneDocument,
    { id: id ?? '' },
    { pause: id === null },
  )
  const organization = data?.organization
  return (
    <Modal opened={id !== null} onClose={onClose} title={<Text fw={650}>Delete organization</Text>}>
      {organization?.id === id && organization ? (
        <DeleteForm
          key={organization.id}
          organization={organization}
          onClose={onClose}
          onDeleted={onDeleted}
        />
      ) : error ? (
        <QueryError error={error} reload={reload} />
      ) : organization === null ? (
        <Text c="dimmed">This organization does not exist.</Text>
      ) : (
        <Skeleton height={220} />
      )}
    </Modal>
  )
}

interface DeleteFormProps {
  readonly organization: OrganizationsFieldsFragment
  onClose(): void
  onDeleted(): void
}

/** Whoever deletes an organization types its name, so that nobody deletes the one in the next row. */
function DeleteForm({ organization: { id, name }, onClose, onDeleted }: DeleteFormProps) {
  const { run, running } = useAction(OrganizationsDeleteDocument)
  const [typed, setTyped] = useState('')
  const [force, setForce] = useState(false)
  const [error, setError] = useState<string | null>(null)

  async function submit(event: FormEvent) {
    event.preventDefault()
    const outcome = await run({ id, force })
    if (!outcome.ok) return setError(outcome.message)
    notifySuccess(`${name} is deleted.`)
    onDeleted()
    onClose()
  }

  return (
    <form onSubmit={submit}>
      <Stack>
        <Text size="sm">
          API keys and sessions of <strong>{name}</strong> stop at once, and nothing is published or
          sent for it any more. Everything that is stored about it is deleted in the background. You
          cannot undo this.
        </Text>
        <TextInput
          label={`Type ${name} to confirm`}
          autoComplete="off"
          data-autofocus
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
        <Checkbox
          label="Also if it has enabled webhooks"
          description="Deliveries that wait are not sent."
          checked={force}
          onChange={(event) => setForce(event.currentTarget.checked)}
        />
        <FormError>{error}</FormError>
        <Group justify="end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button
            type="submit"
            color="red.8"
            loading={running}
            disabled={typed.trim() !== name.trim()}
          >
            Delete
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
