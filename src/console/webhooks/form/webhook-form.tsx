import { Alert, Button, Group, Stack, Switch, Textarea } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { Link } from 'react-router'
import type { Rejection } from '../../api/use-action.ts'
import { UnsavedGuard } from '../../components/forms/unsaved-guard.tsx'
import { Section } from '../../components/page/section.tsx'
import { t } from '../../strings/t.ts'
import { HeaderRows } from './header-rows.tsx'
import { SendOptions } from './send-options.tsx'
import { SubscriptionPicker } from './subscription-picker.tsx'
import { UrlField } from './url-field.tsx'
import { checkWebhook, errorsOf } from './webhook-form-rules.ts'
import type { WebhookFormValues } from './webhook-form-values.ts'

interface WebhookFormProps {
  readonly initial: WebhookFormValues
  /** The verb on the button. */
  readonly action: string
  /** Resolves to null once saved, or to a rejection. */
  save(values: WebhookFormValues): Promise<Rejection | null>
  /** The page that Cancel leads to. */
  readonly back: string
}

/** Creates or edits a webhook. Errors appear beside their fields while the reader types. */
export function WebhookForm({ initial, action, save, back }: WebhookFormProps) {
  const [rejection, setRejection] = useState<string | null>(null)
  const [saving, setSaving] = useState(false)
  const form = useForm<WebhookFormValues>({
    initialValues: initial,
    validate: checkWebhook,
    validateInputOnChange: true,
    validateInputOnBlur: true,
    onValuesChange: () => setRejection(null),
  })

  async function submit(values: WebhookFormValues) {
    setSaving(true)
    const rejected = await save(values)
    setSaving(false)
    if (rejected === null) return
    form.setErrors(errorsOf(rejected.issues, values))
    setRejection(rejected.message)
    focusFirstError()
  }

  return (
    <form onSubmit={form.onSubmit(submit, focusFirstError)} noValidate>
      <Stack gap="lg">
        <Section title={t('webhooks:webhookForm.endpoint')}>
          <UrlField {...form.getInputProps('url')} />
          <Textarea
            label={t('webhooks:webhookForm.description')}
            description={t('webhooks:webhookForm.descriptionHint')}
            autosize
            minRows={1}
            maxRows={6}
            {...form.getInputProps('description')}
          />
          <Switch
            label={t('webhooks:webhookForm.enabled')}
            description={t('webhooks:webhookForm.enabledHint')}
            {...form.getInputProps('enabled', { type: 'checkbox' })}
          />
        </Section>
        <SubscriptionPicker
          value={form.values.eventSubscriptions}
          error={form.errors.eventSubscriptions}
          onChange={(names) => form.setFieldValue('eventSubscriptions', names)}
        />
        <HeaderRows form={form} />
        <SendOptions form={form} />
        {rejection !== null && (
          <Alert
            color="red"
            variant="light"
            role="alert"
            title={t('webhooks:webhookForm.savingFailed')}
          >
            {rejection}
          </Alert>
        )}
        <Group justify="end" gap="xs">
          <Button component={Link} to={back} variant="default">
            {t('webhooks:webhookForm.cancel')}
          </Button>
          <Button type="submit" loading={saving}>
            {action}
          </Button>
        </Group>
      </Stack>
      <UnsavedGuard unsaved={form.isDirty() && !saving} />
    </form>
  )
}

/** Waits for a frame, so that the errors are rendered. */
function focusFirstError() {
  requestAnimationFrame(() =>
    document.querySelector<HTMLElement>('form [aria-invalid="true"]')?.focus(),
  )
}
