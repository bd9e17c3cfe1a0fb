import { NumberInput, SimpleGrid, Switch } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { usePageQuery } from '../../api/page-query.ts'
import { Section } from '../../components/page/section.tsx'
import { t } from '../../language/t.ts'
import { formatDuration } from '../../lib/format.ts'
import { webhookDefaultsQuery } from '../webhook-queries.ts'
import { RetrySchedule } from './retry-schedule.tsx'
import type { WebhookFormValues } from './webhook-form-values.ts'

export function SendOptions({ form }: { form: UseFormReturnType<WebhookFormValues> }) {
  const defaults = usePageQuery(webhookDefaultsQuery).data?.defaultSettings
  return (
    <Section title={t('Delivery options')} description="The defaults suit most endpoints.">
      <SimpleGrid cols={{ base: 1, sm: 3 }}>
        <NumberInput
          label={t('Rate limit')}
          description="Maximum attempts per second, across all processes. Empty: no limit."
          placeholder="No limit"
          suffix={` ${'per second'}`}
          allowDecimal={false}
          allowNegative={false}
          {...form.getInputProps('rateLimitPerSecond')}
        />
        <NumberInput
          label="Concurrency"
          description="Maximum parallel requests per worker. Empty: adaptive."
          placeholder="Adaptive"
          allowDecimal={false}
          allowNegative={false}
          {...form.getInputProps('maxInFlight')}
        />
        <NumberInput
          label={t('Timeout')}
          description="Maximum time for a response, up to 30 s. Empty: the default."
          placeholder={
            defaults
              ? `${formatDuration(1_000 * defaults.timeoutSeconds)} ${t('(default)')}`
              : 'Default'
          }
          suffix=" s"
          allowDecimal={false}
          allowNegative={false}
          {...form.getInputProps('timeoutSeconds')}
        />
      </SimpleGrid>
      <RetrySchedule
        value={form.values.retryScheduleSeconds}
        defaults={defaults?.retryScheduleSeconds}
        errors={form.errors}
        onChange={(delays) => form.setFieldValue('retryScheduleSeconds', delays)}
      />
      <Switch
        label="Ordered"
        description="Sends one delivery at a time, in the order of the events. This limits throughput: 10 deliveries per second if the receiver takes 100 ms. A failing delivery blocks later ones until it succeeds or is exhausted; a short retry schedule limits the wait."
        {...form.getInputProps('ordered', { type: 'checkbox' })}
      />
    </Section>
  )
}
