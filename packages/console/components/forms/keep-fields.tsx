import { Stack, Switch, type SwitchProps } from '@mantine/core'

interface KeepFieldsProps {
  readonly payloads: SwitchProps
  readonly responseBodies: SwitchProps
}

/** Whether payloads and the bodies of responses are kept. */
export function KeepFields({ payloads, responseBodies }: KeepFieldsProps) {
  return (
    <Stack gap="md">
      <Switch
        label="Keep payloads after delivery"
        description="Otherwise the payload is erased within minutes after it was delivered, or 7 days after the last failed attempt. It can then no longer be redelivered."
        {...payloads}
      />
      <Switch
        label="Keep response bodies"
        description="Otherwise attempts show the status, the headers and the size."
        {...responseBodies}
      />
    </Stack>
  )
}
