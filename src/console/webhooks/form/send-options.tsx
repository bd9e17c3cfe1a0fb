import { NumberInput, SimpleGrid, Switch } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { Section } from '../../components/page/section.tsx'
import { RetrySchedule } from './retry-schedule.tsx'
import type { WebhookFormValues } from './webhook-form-values.ts'

interface SendOptionsProps {
  readonly form: UseFormReturnType<WebhookFormValues>
}

export function SendOptions({ form }: SendOptionsProps) {
  return (
    <Section
      title="Sending"
      description="Leave these empty unless the receiver needs something else."
    >
      <SimpleGrid cols={{ base: 1, sm: 3 }}>
        <NumberInput
          label="Rate limit"
          description="Attempts a second at most, of all processes together. Empty: no limit."
          placeholder="No limit"
          suffix=" a second"
          allowDecimal={false}
          allowNegative={false}
          {...form.getInputProps('rateLimitPerSecond')}
        />
        <NumberInput
          label="Concurrency"
          description="Maximum parallel requests per worker. Empty: adapts to the endpoint, from 20 up."
          placeholder="Adaptive"
          allowDecimal={false}
          allowNegative={false}
          {...form.getInputProps('maxInFlight')}
        />
        <NumberInput
          label="Timeout"
          description="How long the receiver has to answer, up to 30 s. Empty: 15 s unless set otherwise."
          placeholder="15 s"
          suffix=" s"
          allowDecimal={false}
          allowNegative={false}
          {...form.getInputProps('timeoutSeconds')}
        />
      </SimpleGrid>
      <RetrySchedule
        value={form.values.retryScheduleSeconds}
        errors={form.errors}
        onChange={(delays) => form.setFieldValue('retryScheduleSeconds', delays)}
      />
      <Switch
        label="In order"
        description="One delivery at a time, in the order of the events. It costs throughput: 10 a second with a receiver that takes 100 ms. And a delivery that fails holds up all that come after it, until it succeeds or its retries are used up; a short retry schedule bounds that."
        {...form.getInputProps('ordered', { type: 'checkbox' })}
      />
    </Section>
  )
}
