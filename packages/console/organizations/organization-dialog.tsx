import { Anchor, Modal, NumberInput, Stack, Switch, Textarea, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { useState } from 'react'
import { useAction } from '../api/use-action.ts'
import { Folded } from '../components/folded.tsx'
import { EditConflicts, useEditConflict } from '../components/forms/edit-conflicts.tsx'
import { fieldErrorsOf } from '../components/forms/field-errors.ts'
import { FormButtons, FormError } from '../components/forms/form-parts.tsx'
import { labelsError } from '../components/forms/labels-error.ts'
import { notifySuccess } from '../components/notify.ts'
import {
  type OrganizationRowFragment,
  OrganizationsCreateDocument,
  OrganizationsUpdateDocument,
  type UpdateOrganizationInput,
} from '../generated/graphql.ts'
import { type Labels, parseLabels, printLabels } from '../lib/labels.ts'
import { consoleUrl } from '../mount.ts'

const FIELDS = ['name', 'uid', 'metadata', 'retentionDays'] as const

interface OrganizationDialogProps {
  /** Null for a new one. */
  readonly organization: OrganizationRowFragment | null
  onClose(): void
}

/** Creates or edits an organization. */
export function OrganizationDialog({ organization, onClose }: OrganizationDialogProps) {
  const { run: create, running: creating } = useAction(OrganizationsCreateDocument)
  const { run: update, running: updating } = useAction(OrganizationsUpdateDocument)
  const [before] = useState(() => valuesOf(organization))
  const { ifRevision, conflict, report } = useEditConflict(organization?.revision ?? 0)
  const form = useForm({
    initialValues: before,
    validate: { metadata: (text) => labelsError(text) || null },
  })
  const { form: rejection, name: _, ...advanced } = form.errors
  const changed = changesOf(before, form.values)

  async function submit({ name }: Values) {
    const outcome = organization
      ? await update({ id: organization.id, input: { ...changed, ifRevision } })
      : await create({ input: { ...changed, name } })
    if (!outcome.ok) {
      report(outcome.conflict ?? null)
      return form.setErrors(outcome.conflict ? {} : fieldErrorsOf(outcome, FIELDS))
    }
    onClose()
    if (organization) notifySuccess(`${name} was saved.`)
    else notifyCreated(name, outcome.value.organization.id)
  }

  return (
    <Modal
      opened
      onClose={onClose}
      title={organization ? 'Edit organization' : 'Create organization'}
    >
      <form onSubmit={form.onSubmit(submit)}>
        <Stack>
          <TextInput
            label="Name"
            description="Up to 200 characters. You can rename the organization later."
            placeholder="Acme"
            required
            withAsterisk={false}
            maxLength={200}
            autoComplete="off"
            data-autofocus
            {...form.getInputProps('name')}
          />
          <Folded
            summary="no uid, no labels, kept as long as the installation keeps"
            isInvalid={Object.keys(advanced).length > 0}
          >
            <Stack>
              <TextInput
                label="Uid"
                description="Unique in the installation. Empty: none."
                maxLength={255}
                {...MONO}
                {...form.getInputProps('uid')}
              />
              <Textarea
                label="Labels"
                description="One per line, such as team=payments."
                autosize
                maxRows={12}
                {...MONO}
                {...form.getInputProps('metadata')}
              />
              <NumberInput
                label="Retention"
                description="How many days events and deliveries are kept. Empty: as long as the installation keeps them."
                placeholder="As the installation"
                suffix=" days"
                allowDecimal={false}
                allowNegative={false}
                {...form.getInputProps('retentionDays')}
              />
              <Switch
                label="Keep payloads after delivery"
                description="Otherwise the payload is erased within minutes after it was delivered, or 7 days after the last failed attempt. It can then no longer be redelivered."
                {...form.getInputProps('keepPayloads', { type: 'checkbox' })}
              />
              <Switch
                label="Keep response bodies"
                description="Otherwise attempts show the status, the headers and the size."
                {...form.getInputProps('keepResponseBodies', { type: 'checkbox' })}
              />
            </Stack>
          </Folded>
          <EditConflicts conflict={conflict} />
          <FormError>{rejection}</FormError>
          <FormButtons
            action={organization ? 'Save' : 'Create'}
            loading={creating || updating}
            disabled={form.values.name.trim() === '' || Object.keys(changed).length === 0}
            dismiss={onClose}
          />
        </Stack>
      </form>
    </Modal>
  )
}

const MONO = { autoComplete: 'off', spellCheck: false, classNames: { input: 'ph-mono' } }

/** Without an API key, no program can call the API for the organization. */
function notifyCreated(name: string, id: string): void {
  notifications.show({
    title: `${name} was created`,
    message: <Anchor href={consoleUrl(id, '/api-keys?new=key')}>Create first API key</Anchor>,
    color: 'green',
    autoClose: false,
  })
}

/** As the fields have them: labels as text, and an empty text for the default. */
function valuesOf(organization: OrganizationRowFragment | null) {
  return {
    name: organization?.name ?? '',
    uid: organization?.uid ?? '',
    metadata: printLabels((organization?.metadata ?? {}) as Labels),
    retentionDays: organization?.retentionDays ?? ('' as number | string),
    keepPayloads: organization?.keepPayloads ?? true,
    keepResponseBodies: organization?.keepResponseBodies ?? true,
  }
}

type Values = ReturnType<typeof valuesOf>

/** The changed fields only, so that concurrent changes of other fields stay. */
function changesOf(before: Values, values: Values): UpdateOrganizationInput {
  const { uid, metadata, retentionDays } = values
  const input = {
    ...values,
    uid: uid.trim() || null,
    metadata: parseLabels(metadata),
    retentionDays: retentionDays === '' ? null : Number(retentionDays),
  }
  const isChanged = (name: string) => values[name as keyof Values] !== before[name as keyof Values]
  return Object.fromEntries(Object.entries(input).filter(([name]) => isChanged(name)))
}
