import type { UseFormReturnType } from '@mantine/form'
import type { EditConflict } from '../../api/use-action.ts'
import { EditConflicts } from '../../components/forms/edit-conflicts.tsx'
import { formatJson } from '../../components/json/format-json.ts'
import { t } from '../../language/t.ts'
import { type Labels, printLabels } from '../../lib/labels.ts'
import { storedHeaderRow } from './header-row.ts'
import { inputOf, type WebhookFormValues } from './webhook-form-values.ts'

interface WebhookConflictsProps {
  readonly form: UseFormReturnType<WebhookFormValues>
  readonly conflict: EditConflict
  /** Called when the reader has chosen a value for a field. */
  decide(name: string): void
}

export function WebhookConflicts({ form, conflict, decide }: WebhookConflictsProps) {
  // The values of headers stay hidden.
  const headers = form.values.headers?.map(({ name }) => name)
  return (
    <EditConflicts
      conflict={{ ...conflict, fields: conflict.fields.map(readable) }}
      labels={LABELS}
      mine={{
        ...inputOf(form.values),
        headers,
        filter: formatted(form.values.filter),
        metadata: form.values.metadata,
      }}
      keepMine={decide}
      takeTheirs={(name, value) => {
        form.setFieldValue(name as keyof WebhookFormValues, formValue(name, value) as never)
        if (name === 'selection' || name === 'template') {
          const isRemoved = value === null
          if (!isRemoved || form.values.body === name) {
            form.setFieldValue('body', isRemoved ? 'event' : name)
          }
        }
        decide(name)
      }}
    />
  )
}

type ChangedField = EditConflict['fields'][number]

function readable(field: ChangedField): ChangedField {
  if (field.name === 'metadata') return { ...field, current: printLabels(field.current as Labels) }
  return field.name === 'filter' ? { ...field, current: formatted(field.current) } : field
}

const formatted = (filter: unknown) =>
  typeof filter === 'string' ? (formatJson(filter) ?? filter) : filter

/** The value of a field as its input has it. */
function formValue(name: string, value: unknown): unknown {
  if (name === 'headers') return (value as string[] | null)?.map(storedHeaderRow) ?? null
  return name === 'retryScheduleSeconds' ? value : (value ?? '')
}

const LABELS = {
  url: 'URL',
  description: t('Description'),
  enabled: t('Enabled'),
  eventSubscriptions: t('Events'),
  filter: t('Filter'),
  selection: 'Chosen fields',
  template: 'Template',
  uid: 'Uid',
  metadata: 'Labels',
  headers: t('Custom headers'),
  rateLimitPerSecond: t('Rate limit'),
  maxInFlight: 'Concurrency',
  timeoutSeconds: t('Timeout'),
  retryScheduleSeconds: t('Retries'),
  ordered: 'Ordered',
  keepPayloads: 'Keep payloads after delivery',
  keepResponseBodies: 'Keep response bodies',
}
