import { Stack, Switch, Textarea } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import type { EditConflict, Rejection } from '../../api/use-action.ts'
import { EditConflicts } from '../../components/forms/edit-conflicts.tsx'
import { FormButtons, FormError } from '../../components/forms/form-parts.tsx'
import { KeepFields } from '../../components/forms/keep-fields.tsx'
import { OwnNameFields } from '../../components/forms/own-name-fields.tsx'
import { UnsavedGuard } from '../../components/forms/unsaved-guard.tsx'
import { Section } from '../../components/page/section.tsx'
import { t } from '../../language/t.ts'
import { portalLink } from '../../session/portal.ts'
import { useSession } from '../../session/session.tsx'
import { BodySection } from './body-section.tsx'
import { FilterSection } from './filter-section.tsx'
import { HeaderRows } from './header-rows.tsx'
import { SendOptions } from './send-options.tsx'
import { SubscriptionPicker } from './subscription-picker.tsx'
import { UrlField } from './url-field.tsx'
import { checkWebhook, errorsOf } from './webhook-form-rules.ts'
import { changesOf, newOrigin, type WebhookFormValues } from './webhook-form-values.ts'
import './webhook-form.css'

interface WebhookFormProps {
  readonly initial: WebhookFormValues
  /** Null for a new webhook. */
  readonly webhookId: string | null
  /** The verb on the button. */
  readonly action: string
  /** Resolves to null once saved, or to a rejection. */
  save(values: WebhookFormValues): Promise<Rejection | null>
  /** The page that Cancel leads to. */
  readonly back: string
  /** The fields that somebody else changed in the meantime. */
  readonly conflict?: EditConflict | null
}

/** Creates or edits a webhook. Errors appear beside their fields while the reader types. */
export function WebhookForm({ initial, webhookId, action, save, back, ...edit }: WebhookFormProps) {
  const { can } = useSession()
  const [rejection, setRejection] = useState<string | null>(null)
  const [saving, setSaving] = useState(false)
  const [wasSent, setWasSent] = useState(false)
  const form = useForm<WebhookFormValues>({
    initialValues: initial,
    validate: (values) => checkWebhook(values, can('secrets:read') || !newOrigin(initial, values)),
    validateInputOnChange: true,
    validateInputOnBlur: true,
    onValuesChange: () => setRejection(null),
  })

  // Revealing a value changes a row, but not the webhook.
  const isChanged = Object.keys(changesOf(initial, form.values)).length > 0

  async function submit(values: WebhookFormValues) {
    setSaving(true)
    const rejected = await save(values)
    setSaving(false)
    if (rejected === null) return
    form.setErrors(errorsOf(rejected.issues, values))
    if (!rejected.conflict) setRejection(rejected.message)
    showErrors()
  }

  function showErrors() {
    setWasSent(true)
    focusFirstError()
  }

  return (
    <form onSubmit={form.onSubmit(submit, showErrors)} noValidate>
      <Stack gap="lg" className="ph-webhook-form">
        <Section title={t('Endpoint')}>
          <UrlField isFirst={webhookId === null} {...form.getInputProps('url')} />
          <Textarea
            label={t('Description')}
            description={t('Helps you tell webhooks apart.')}
            autosize
            minRows={1}
            maxRows={6}
            {...form.getInputProps('description')}
          />
          <Switch
            label={t('Enabled')}
            description="A disabled webhook receives nothing, and new events create no deliveries for this webhook."
            {...form.getInputProps('enabled', { type: 'checkbox' })}
          />
        </Section>
        <SubscriptionPicker
          value={form.values.eventSubscriptions}
          error={form.errors.eventSubscriptions}
          onChange={(names) => form.setFieldValue('eventSubscriptions', names)}
        />
        <FilterSection form={form} wasSent={wasSent} />
        <div className="ph-webhook-body">
          <BodySection form={form} />
        </div>
        <HeaderRows form={form} webhookId={webhookId} newOrigin={newOrigin(initial, form.values)} />
        <SendOptions form={form} />
        <Section
          title="What is kept"
          description="What the organization does not keep is not kept here either."
        >
          <KeepFields
            payloads={form.getInputProps('keepPayloads', { type: 'checkbox' })}
            responseBodies={form.getInputProps('keepResponseBodies', { type: 'checkbox' })}
          />
        </Section>
        {portalLink === null && (
          <Section
            title="Names of your own"
            description="For your own programs, to find this webhook. They are not secret."
          >
            <OwnNameFields
              description="Unique among your webhooks. Empty: none."
              uid={form.getInputProps('uid')}
              metadata={form.getInputProps('metadata')}
            />
          </Section>
        )}
        <EditConflicts conflict={edit.conflict} />
        <FormError title="Saving failed">{rejection}</FormError>
        <FormButtons action={action} loading={saving} dismiss={back} />
      </Stack>
      <UnsavedGuard unsaved={isChanged && !saving} />
    </form>
  )
}

/** Waits for a frame, so that the errors are rendered. */
function focusFirstError() {
  requestAnimationFrame(() =>
    document.querySelector<HTMLElement>('form [aria-invalid="true"]')?.focus(),
  )
}
