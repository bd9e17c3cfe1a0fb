import { Box, Stack, Switch, Textarea, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import type { EditConflict, Rejection } from '../../api/use-action.ts'
import { useRead } from '../../api/use-read.ts'
import { Folded } from '../../components/folded.tsx'
import { EditConflicts } from '../../components/forms/edit-conflicts.tsx'
import { fieldErrorsOf } from '../../components/forms/field-errors.ts'
import { FormButtons, FormError, useInitialFocus } from '../../components/forms/form-parts.tsx'
import { UnsavedGuard } from '../../components/forms/unsaved-guard.tsx'
import { Notice } from '../../components/page/notice.tsx'
import { QueryError } from '../../components/query-error.tsx'
import { WebhookCatalogueDocument, WebhookDefaultsDocument } from '../../generated/graphql.ts'
import { t } from '../../language/t.ts'
import { useSession } from '../../session/session.tsx'
import { BodySection } from '../body/body-section.tsx'
import { FilterEditor } from '../filter/filter-editor.tsx'
import { MASK } from '../headers/header-lines.ts'
import { SettingField } from './setting-field.tsx'
import { settings } from './settings.ts'
import { SubscriptionField } from './subscription-field.tsx'
import {
  changesOf,
  checkWebhook,
  isPlain,
  newOrigin,
  type WebhookFormValues,
} from './webhook-form-values.ts'

interface WebhookFormProps {
  readonly initial: WebhookFormValues
  /** Whether the webhook does not exist yet, and the reader begins with its URL. */
  readonly isNew: boolean
  /** The verb on the button. */
  readonly action: string
  /** Resolves to null once saved, or to a rejection. */
  save(values: WebhookFormValues): Promise<Rejection | null>
  /** The page that Cancel leads to. */
  readonly back: string
  /** The fields that somebody else changed in the meantime. */
  readonly conflict?: EditConflict | null
}

/** Creates or edits a webhook. What is rarely set is folded. */
export function WebhookForm({ initial, isNew, action, save, back, conflict }: WebhookFormProps) {
  const [rejection, setRejection] = useState<string | null>(null)
  const [saving, setSaving] = useState(false)
  const { data, error, reload } = useRead(WebhookCatalogueDocument, {})
  const catalogue = data?.eventTypes ?? []
  const pause = !useSession().can('webhooks:read')
  const defaults = useRead(WebhookDefaultsDocument, {}, { pause }).data?.defaultSettings
  const firstField = useInitialFocus(isNew)
  const form = useForm<WebhookFormValues>({
    initialValues: initial,
    validate: checkWebhook,
    validateInputOnBlur: true,
    onValuesChange: () => setRejection(null),
  })
  const url = form.getInputProps('url')
  const { filter, eventSubscriptions, headers } = form.values
  const movesTo = newOrigin(initial, form.values)
  const isChanged = Object.keys(changesOf(initial, form.values)).length > 0

  async function submit(values: WebhookFormValues) {
    setSaving(true)
    const rejected = await save(values)
    setSaving(false)
    if (rejected === null) return
    form.setErrors(fieldErrorsOf(rejected, Object.keys(values)))
    if (!rejected.conflict) setRejection(rejected.message)
    showErrors()
  }

  /** Waits for a frame, so that the errors are rendered. */
  function showErrors() {
    requestAnimationFrame(() =>
      document.querySelector<HTMLElement>('form [aria-invalid="true"]')?.focus(),
    )
  }

  return (
    <form onSubmit={form.onSubmit(submit, showErrors)} noValidate>
      <Stack gap="lg">
        <Stack maw={760}>
          <TextInput
            {...url}
            ref={firstField}
            label={t('URL')}
            description={t(
              'Posthorn sends deliveries to this URL by POST. Use HTTPS and a host that the internet can reach.',
            )}
            type="url"
            autoComplete="off"
            placeholder="https://example.com/webhooks"
            withAsterisk
            // A field that was only passed has no error yet. An error would also move what the reader clicks.
            onBlur={(event) => event.currentTarget.value !== '' && url.onBlur(event)}
          />
          {movesTo !== null && String(headers).includes(MASK) && <Moved to={movesTo} />}
          <Textarea
            label={t('Description')}
            description={t('Helps you tell webhooks apart.')}
            autosize
            maxRows={6}
            {...form.getInputProps('description')}
          />
          <Switch
            label={t('Enabled')}
            description="A disabled webhook receives nothing, and new events create no deliveries for this webhook."
            {...form.getInputProps('enabled', { type: 'checkbox' })}
          />
          {error && !data && <QueryError error={error} reload={reload} />}
          <SubscriptionField catalogue={catalogue} {...form.getInputProps('eventSubscriptions')} />
        </Stack>
        <Box maw={1200}>
          <BodySection form={form} catalogue={catalogue} />
        </Box>
        <Stack gap="lg" maw={760}>
          <Folded
            title={t('Filter')}
            summary="Only events whose data meet the conditions are delivered. Default: all."
            isSet={initial.filter !== ''}
            isInvalid={'filter' in form.errors}
          >
            <FilterEditor
              value={filter}
              error={form.errors.filter}
              subscriptions={eventSubscriptions}
              onChange={(text) => form.setFieldValue('filter', text)}
            />
          </Folded>
          <Folded
            summary="Headers, retries, limits, and what is kept. The defaults suit most endpoints."
            isSet={!isPlain(initial)}
            isInvalid={settings.some(([name]) => name in form.errors)}
          >
            <Stack>
              {settings.map(([name, setting]) => (
                <SettingField key={name} {...{ name, setting, form, defaults }} />
              ))}
            </Stack>
          </Folded>
          <EditConflicts conflict={conflict} />
          <FormError title="Saving failed">{rejection}</FormError>
          <FormButtons action={action} loading={saving} dismiss={back} />
        </Stack>
      </Stack>
      <UnsavedGuard unsaved={isChanged && !saving} />
    </form>
  )
}

/** Stored values may be credentials of the old origin. */
function Moved({ to }: { to: string }) {
  const { can } = useSession()
  return can('secrets:read') ? (
    <Notice color="yellow" title="The stored values go to the new address too">
      {`Deliveries to ${to} will have the custom headers. Change or remove those that are credentials of the old address.`}
    </Notice>
  ) : (
    <Notice color="orange" title="Enter the values again">
      {`Stored values of custom headers do not go to another address, because they may be credentials. Enter each value for ${to}, or remove the header. With the scope secrets:read the stored values stay.`}
    </Notice>
  )
}
