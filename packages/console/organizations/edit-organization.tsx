import { Modal, NumberInput, Skeleton, Stack, Text } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { useAction } from '../api/use-action.ts'
import { useRead } from '../api/use-read.ts'
import { EditConflicts, useEditConflict } from '../components/forms/edit-conflicts.tsx'
import { FormButtons, FormError } from '../components/forms/form-parts.tsx'
import { KeepFields } from '../components/forms/keep-fields.tsx'
import { labelsError } from '../components/forms/labels-error.ts'
import { OwnNameFields } from '../components/forms/own-name-fields.tsx'
import { notifySuccess } from '../components/notify.ts'
import { QueryError } from '../components/query-error.tsx'
import {
  type OrganizationsFieldsFragment,
  OrganizationsOneDocument,
  OrganizationsUpdateDocument,
} from '../generated/graphql.ts'
import { type Labels, parseLabels, printLabels } from '../lib/labels.ts'
import { NameField } from './name-field.tsx'

interface EditOrganizationProps {
  /** The open organization, if any. */
  readonly id: string | null
  onClose(): void
}

export function EditOrganization({ id, onClose }: EditOrganizationProps) {
  const { data, error, reload } = useRead(
    OrganizationsOneDocument,
    { id: id ?? '' },
    { pause: id === null },
  )
  const organization = data?.organization
  return (
    <Modal opened={id !== null} onClose={onClose} title={<Text fw={650}>Edit organization</Text>}>
      {organization?.id === id && organization ? (
        <EditForm key={organization.id} organization={organization} onClose={onClose} />
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

interface EditFormProps {
  readonly organization: OrganizationsFieldsFragment
  onClose(): void
}

function EditForm({ organization, onClose }: EditFormProps) {
  const { run, running } = useAction(OrganizationsUpdateDocument)
  const [before] = useState(() => valuesOf(organization))
  const [values, setValues] = useState(before)
  const [errors, setErrors] = useState<Partial<Record<keyof Values, string>>>({})
  const [rejection, setRejection] = useState<string | null>(null)
  const { ifRevision, conflict, report } = useEditConflict(organization.revision)
  const changed = changesOf(before, values)

  function set(changes: Partial<Values>) {
    setValues((current) => ({ ...current, ...changes }))
    setErrors({})
    setRejection(null)
  }

  async function submit(event: FormEvent) {
    event.preventDefault()
    const mistake = labelsError(values.metadata)
    if (mistake) return setErrors({ metadata: mistake })
    const outcome = await run({ id: organization.id, input: { ...changed, ifRevision } })
    if (!outcome.ok) {
      report(outcome.conflict ?? null)
      const issues = outcome.issues.map(({ path, message }) => [path[0], message])
      setErrors(Object.fromEntries(issues))
      return setRejection(outcome.conflict || issues.length > 0 ? null : outcome.message)
    }
    notifySuccess(`${outcome.value.organization.name} was saved.`)
    onClose()
  }

  return (
    <form onSubmit={submit}>
      <Stack>
        <NameField name={values.name} error={errors.name} onChange={(name) => set({ name })} />
        <OwnNameFields
          description="Unique in the installation. Empty: none."
          uid={{
            value: values.uid,
            error: errors.uid,
            onChange: (event) => set({ uid: event.currentTarget.value }),
          }}
          metadata={{
            value: values.metadata,
            error: errors.metadata,
            onChange: (event) => set({ metadata: event.currentTarget.value }),
          }}
        />
        <NumberInput
          label="Retention"
          description="How many days events and deliveries are kept. Empty: as long as the installation keeps them."
          placeholder="As the installation"
          suffix=" days"
          allowDecimal={false}
          allowNegative={false}
          value={values.retentionDays}
          error={errors.retentionDays}
          onChange={(retentionDays) => set({ retentionDays })}
        />
        <KeepFields
          payloads={{
            checked: values.keepPayloads,
            onChange: (event) => set({ keepPayloads: event.currentTarget.checked }),
          }}
          responseBodies={{
            checked: values.keepResponseBodies,
            onChange: (event) => set({ keepResponseBodies: event.currentTarget.checked }),
          }}
        />
        <EditConflicts conflict={conflict} />
        <FormError title="Saving failed">{rejection}</FormError>
        <FormButtons
          action="Save"
          loading={running}
          disabled={values.name.trim() === '' || Object.keys(changed).length === 0}
          dismiss={onClose}
        />
      </Stack>
    </form>
  )
}

interface Values {
  readonly name: string
  readonly uid: string
  /** The text of the labels. */
  readonly metadata: string
  /** Empty: that of the installation. */
  readonly retentionDays: number | string
  readonly keepPayloads: boolean
  readonly keepResponseBodies: boolean
}

function valuesOf({ name, uid, metadata, ...rules }: OrganizationsFieldsFragment): Values {
  const { retentionDays, keepPayloads, keepResponseBodies } = rules
  return {
    name,
    uid: uid ?? '',
    metadata: printLabels(metadata as Labels),
    retentionDays: retentionDays ?? '',
    keepPayloads,
    keepResponseBodies,
  }
}

/** The changed fields only, so that concurrent changes of other fields stay. */
function changesOf(before: Values, { name, uid, metadata, ...rules }: Values) {
  const { retentionDays, keepPayloads, keepResponseBodies } = rules
  return {
    ...(name !== before.name && { name }),
    ...(uid !== before.uid && { uid: uid.trim() || null }),
    ...(metadata !== before.metadata && { metadata: parseLabels(metadata) }),
    ...(String(retentionDays) !== String(before.retentionDays) && {
      retentionDays: retentionDays === '' ? null : Number(retentionDays),
    }),
    ...(keepPayloads !== before.keepPayloads && { keepPayloads }),
    ...(keepResponseBodies !== before.keepResponseBodies && { keepResponseBodies }),
  }
}
