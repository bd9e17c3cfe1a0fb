import { NumberInput, SimpleGrid, Switch } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { usePageQuery } from '../../api/page-query.ts'
import { Section } from '../../components/page/section.tsx'
import { t } from '../../language/t.ts'
import { webhookDefaultsQuery } from '../webhook-queries.ts'
import { NUMBER_SETTINGS } from './number-settings.ts'
import { RetrySchedule } from './retry-schedule.tsx'
import type { WebhookFormValues } from './webhook-form-values.ts'

export function SendOptions({ form }: { form: UseFormReturnType<WebhookFormValues> }) {
  const defaults = usePageQuery(webhookDefaultsQuery).data?.defaultSettings
  return (
    <Section title={t('Delivery options')} description="The defaults suit most endpoints.">
      <SimpleGrid cols={{ base: 1, sm: 3 }}>
        {NUMBER_SETTINGS.map(({ name, label, description, suffix, placeholder }) => (
          <NumberInput
            key={name}
            label={label()}
            description={description}
            placeholder={placeholder(defaults)}
            suffix={suffix}
            allowDecimal={false}
            allowNegative={false}
            {...form.getInputProps(name)}
          />
        ))}
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
