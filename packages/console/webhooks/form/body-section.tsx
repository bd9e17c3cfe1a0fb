import { Radio, Skeleton, Stack } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { lazy, Suspense, useMemo } from 'react'
import { usePageQuery } from '../../api/page-query.ts'
import { Section } from '../../components/page/section.tsx'
import { key, t } from '../../language/t.ts'
import { webhookCatalogueQuery } from '../webhook-queries.ts'
import { includedTypes } from './subscriptions.ts'
import type { WebhookFormValues } from './webhook-form-values.ts'

const BodyEditor = lazy(() =>
  import('../body/body-editor.tsx').then((m) => ({ default: m.BodyEditor })),
)

interface BodySectionProps {
  readonly form: UseFormReturnType<WebhookFormValues>
}

/** What the webhook sends. The editors are a script of their own. */
export function BodySection({ form }: BodySectionProps) {
  const { body } = form.values
  return (
    <Section title={t('Body')} description="What each delivery contains.">
      <Radio.Group
        aria-label={t('Body')}
        value={body}
        onChange={(chosen) => form.setFieldValue('body', chosen as WebhookFormValues['body'])}
      >
        <Stack gap="sm">
          {BODIES.map(({ value, label, description }) => (
            <Radio key={value} value={value} label={t(label)} description={description} />
          ))}
        </Stack>
      </Radio.Group>
      {body !== 'event' && <ChosenBody form={form} body={body} />}
    </Section>
  )
}

interface ChosenBodyProps extends BodySectionProps {
  readonly body: Exclude<WebhookFormValues['body'], 'event'>
}

/** A component of its own, so that a form for whole events does not ask for the catalogue again. */
function ChosenBody({ form, body }: ChosenBodyProps) {
  const { eventSubscriptions } = form.values
  const catalogue = usePageQuery(webhookCatalogueQuery).data?.eventTypes
  const names = useMemo(() => catalogue?.map(({ name }) => name) ?? [], [catalogue])
  return (
    <Suspense fallback={<Skeleton height={200} />}>
      <BodyEditor
        key={body}
        form={body}
        value={form.values[body]}
        subscriptions={eventSubscriptions}
        eventTypes={includedTypes(eventSubscriptions, names)}
        error={form.errors[body] ? String(form.errors[body]) : null}
        onChange={(text) => form.setFieldValue(body, text)}
      />
    </Suspense>
  )
}

const BODIES = [
  {
    value: 'event',
    label: key('The whole event'),
    description: 'Its id, type, time and data, as published.',
  },
  {
    value: 'selection',
    label: 'Chosen fields',
    description: 'Its id, type and time, and the fields of its data that you choose.',
  },
  {
    value: 'template',
    label: 'A template',
    description: 'JSON of your own, such as a message for Slack, Microsoft Teams or Discord.',
  },
] as const
