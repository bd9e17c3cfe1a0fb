import { Stack, Switch } from '@mantine/core'
import { t } from '../../language/t.ts'

interface Field {
  readonly checked?: boolean
  // biome-ignore lint/suspicious/noExplicitAny: an event, as the form of Mantine takes it
  onChange(event: any): void
}

interface KeepFieldsProps {
  readonly payloads: Field
  readonly responseBodies: Field
}

/** Whether payloads and the bodies of responses are kept. */
export function KeepFields({ payloads, responseBodies }: KeepFieldsProps) {
  return (
    <Stack gap="md">
      <Switch
        label={t('Keep payloads after delivery')}
        description={t(
          'Otherwise the payload is erased within minutes after it was delivered, or 7 days after the last failed attempt. It can then no longer be redelivered.',
        )}
        {...payloads}
      />
      <Switch
        label={t('Keep response bodies')}
        description={t('Otherwise attempts show the status, the headers and the size.')}
        {...responseBodies}
      />
    </Stack>
  )
}
