import { Modal, Skeleton, Stack, Text } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { useAction } from '../api/use-action.ts'
import { useRead } from '../api/use-read.ts'
import { EditConflicts } from '../components/forms/edit-conflicts.tsx'
import { FormButtons } from '../components/forms/form-parts.tsx'
import { useEditConflict } from '../components/forms/use-edit-conflict.ts'
import { notifySuccess } from '../components/notify.ts'
import { QueryError } from '../components/query-error.tsx'
import {
  type OrganizationsFieldsFragment,
  OrganizationsOneDocument,
  OrganizationsRenameDocument,
} from '../generated/graphql.ts'
import { NameField } from './name-field.tsx'

interface RenameOrganizationProps {
  /** The open organization, if any. */
  readonly id: string | null
  onClose(): void
}

export function RenameOrganization({ id, onClose }: RenameOrganizationProps) {
  const { data, error, reload } = useRead(
    OrganizationsOneDocument,
    { id: id ?? '' },
    { pause: id === null },
  )
  const organization = data?.organization
  return (
    <Modal opened={id !== null} onClose={onClose} title={<Text fw={650}>Rename organization</Text>}>
      {organization?.id === id && organization ? (
        <RenameForm key={organization.id} organization={organization} onClose={onClose} />
      ) : error ? (
        <QueryError error={error} reload={reload} />
      ) : organization === null ? (
        <Text c="dimmed">This organization does not exist.</Text>
      ) : (
        <Skeleton height={120} />
      )}
    </Modal>
  )
}

interface RenameFormProps {
  readonly organization: OrganizationsFieldsFragment
  onClose(): void
}

function RenameForm({ organization, onClose }: RenameFormProps) {
  const { run, running } = useAction(OrganizationsRenameDocument)
  const [name, setName] = useState(organization.name)
  const [error, setError] = useState<string>()
  const { ifRevision, conflict, report, decide } = useEditConflict(organization.revision)

  async function submit(event: FormEvent) {
    event.preventDefault()
    const outcome = await run({ id: organization.id, input: { name, ifRevision } })
    if (!outcome.ok) {
      report(outcome.conflict ?? null)
      return setError(outcome.conflict ? undefined : outcome.message)
    }
    notifySuccess(`Renamed to ${outcome.value.organization.name}.`)
    onClose()
  }

  return (
    <form onSubmit={submit}>
      <Stack>
        <NameField name={name} error={error} onChange={setName} />
        {conflict && (
          <EditConflicts
            conflict={conflict}
            labels={{ name: 'Name' }}
            mine={{ name }}
            keepMine={decide}
            takeTheirs={(field, value) => {
              setName(String(value))
              decide(field)
            }}
          />
        )}
        <FormButtons
          action="Rename"
          loading={running}
          disabled={name.trim() === '' || name === organization.name}
          dismiss={onClose}
        />
      </Stack>
    </form>
  )
}
