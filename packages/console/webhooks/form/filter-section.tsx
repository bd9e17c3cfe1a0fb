import { Button, Group, Skeleton, Text } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import { lazy, Suspense, useMemo, useState } from 'react'
import { Section } from '../../components/page/section.tsx'
import { t } from '../../language/t.ts'
import type { WebhookFormValues } from './webhook-form-values.ts'

const FilterEditor = lazy(() =>
  import('../filter/filter-editor.tsx').then((m) => ({ default: m.FilterEditor })),
)

interface FilterSectionProps {
  readonly form: UseFormReturnType<WebhookFormValues>
  /** Whether the form was sent, so that what is missing is an error. */
  readonly wasSent: boolean
}

/** What the webhook asks of the data of an event. The editor is a script of its own. */
export function FilterSection({ form, wasSent }: FilterSectionProps) {
  const { filter, eventSubscriptions } = form.values
  const [isOpen, setOpen] = useState(filter !== '')
  const error = form.errors['filter']
  const issues = useMemo(
    () =>
      new Map(
        Object.entries(form.errors).flatMap(([name, message]): [string, string][] =>
          name.startsWith('filter.') ? [[name.slice('filter.'.length), String(message)]] : [],
        ),
      ),
    [form.errors],
  )

  function setFilter(text: string) {
    form.setFieldValue('filter', text)
    if (issues.size > 0) form.setErrors(withoutFilter)
  }

  function remove() {
    setFilter('')
    setOpen(false)
  }

  return (
    <Section
      title={t('Filter')}
      description="Only events whose data meet the conditions are delivered."
      actions={
        isOpen && (
          <Button
            size="xs"
            variant="default"
            leftSection={<IconTrash size={14} />}
            onClick={remove}
          >
            Remove filter
          </Button>
        )
      }
    >
      {isOpen ? (
        <Suspense fallback={<Skeleton height={160} />}>
          <FilterEditor
            value={filter}
            subscriptions={eventSubscriptions}
            issues={issues}
            onChange={setFilter}
          />
        </Suspense>
      ) : (
        <Group justify="space-between">
          <Text size="sm" c="dimmed">
            No filter: the webhook receives every event of its types.
          </Text>
          <Button
            size="xs"
            variant="default"
            leftSection={<IconPlus size={14} />}
            onClick={() => setOpen(true)}
          >
            Add filter
          </Button>
        </Group>
      )}
      {error && wasSent && (
        <Text size="sm" c="var(--mantine-color-error)" role="alert">
          {error}
        </Text>
      )}
    </Section>
  )
}

type Errors = UseFormReturnType<WebhookFormValues>['errors']

const withoutFilter = (errors: Errors): Errors =>
  Object.fromEntries(Object.entries(errors).filter(([name]) => !name.startsWith('filter.')))
