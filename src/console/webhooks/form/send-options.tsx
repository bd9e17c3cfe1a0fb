import { NumberInput, SimpleGrid, Switch } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { usePageQuery } from '../../api/page-query.ts'
import { Section } from '../../components/page/section.tsx'
import { formatDuration } from '../../format.ts'
import { t } from '../../strings/t.ts'
import { webhookDefaultsQuery } from '../webhook-queries.ts'
import { RetrySchedule } from './retry-schedule.tsx'
import type { WebhookFormValues } from './webhook-form-values.ts'

interface SendOptionsProps {
  readonly form: UseFormReturnType<WebhookFormValues>
}

export function SendOptions({ form }: SendOptionsProps) {
  const defaults = usePageQuery(webhookDefaultsQuery).data?.defaultSettings
  return (
    <Section
      title={t('webhooks:sendOptions.title')}
      description={t('webhooks:sendOptions.description')}
    >
      <SimpleGrid cols={{ base: 1, sm: 3 }}>
        <NumberInput
          label={t('webhooks:sendOptions.rateLimit')}
          description={t('webhooks:sendOptions.rateLimitHint')}
          placeholder={t('webhooks:sendOptions.rateLimitPlaceholder')}
          suffix={t('webhooks:sendOptions.rateLimitSuffix')}
          allowDecimal={false}
          allowNegative={false}
          {...form.getInputProps('rateLimitPerSecond')}
        />
        <NumberInput
          label={t('webhooks:sendOptions.concurrency')}
          description={t('webhooks:sendOptions.concurrencyHint')}
          placeholder={t('webhooks:sendOptions.concurrencyPlaceholder')}
          allowDecimal={false}
          allowNegative={false}
          {...form.getInputProps('maxInFlight')}
        />
        <NumberInput
          label={t('webhooks:sendOptions.timeout')}
          description={t('webhooks:sendOptions.timeoutHint')}
          placeholder={
            defaults
              ? t('webhooks:sendOptions.timeoutDefault', {
                  time: formatDuration(1_000 * defaults.timeoutSeconds),
                })
              : t('webhooks:sendOptions.timeoutPlaceholder')
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
        label={t('webhooks:sendOptions.ordered')}
        description={t('webhooks:sendOptions.orderedHint')}
        {...form.getInputProps('ordered', { type: 'checkbox' })}
      />
    </Section>
  )
}
