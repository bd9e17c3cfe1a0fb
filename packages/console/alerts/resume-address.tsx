import { Button } from '@mantine/core'
import { useState } from 'react'
import { useAction } from '../api/use-action.ts'
import { Confirm } from '../components/confirm.tsx'
import { type AlertsAddressFragment, AlertsSetDocument } from '../generated/graphql.ts'

/** Sends another link to an address that is not confirmed. */
export function ResumeAddress({ address }: { address: AlertsAddressFragment }) {
  const { email, kinds, rejection } = address
  const { run } = useAction(AlertsSetDocument)
  const [confirming, setConfirming] = useState(false)
  return (
    <>
      <Button size="compact-xs" variant="default" onClick={() => setConfirming(true)}>
        Send link
      </Button>
      <Confirm
        opened={confirming}
        onClose={() => setConfirming(false)}
        title={`Send ${email} another link?`}
        action="Send link"
        onConfirm={() => run({ input: { email, kinds: [...kinds] } })}
        success={`Posthorn sends ${email} another link.`}
      >
        {rejection != null && `The mail server rejected the address for good: ${rejection} `}
        It gets alerts once its owner has used the link. A link works for 7 days, and an address
        gets at most one an hour.
      </Confirm>
    </>
  )
}
