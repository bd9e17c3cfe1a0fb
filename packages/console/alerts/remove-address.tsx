import { Button } from '@mantine/core'
import { useState } from 'react'
import { useAction } from '../api/use-action.ts'
import { Confirm } from '../components/confirm.tsx'
import { type AlertsAddressFragment, AlertsRemoveDocument } from '../generated/graphql.ts'

interface RemoveAddressProps {
  readonly address: AlertsAddressFragment
  onRemoved(): void
}

export function RemoveAddress({ address: { id, email }, onRemoved }: RemoveAddressProps) {
  const { run } = useAction(AlertsRemoveDocument)
  const [confirming, setConfirming] = useState(false)
  return (
    <>
      <Button
        variant="subtle"
        color="red"
        c="var(--mantine-color-error)"
        me="auto"
        onClick={() => setConfirming(true)}
      >
        Remove
      </Button>
      <Confirm
        opened={confirming}
        onClose={() => setConfirming(false)}
        title={`Remove ${email}?`}
        action="Remove address"
        destructive
        onConfirm={() => run({ id }, { additionalTypenames: ['AlertAddress'] })}
        success={`${email} is removed.`}
        onDone={onRemoved}
      >
        The address gets no more mails, also not those that wait for it.
      </Confirm>
    </>
  )
}
