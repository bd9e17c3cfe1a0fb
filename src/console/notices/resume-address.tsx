import { Button } from '@mantine/core'
import { useState } from 'react'
import { useAction } from '../api/use-action.ts'
import { Confirm } from '../components/confirm.tsx'
import { type NoticesAddressFragment, NoticesUpdateDocument } from '../generated/graphql.ts'

/** Lets a stopped address get mails again. */
export function ResumeAddress({ address }: { address: NoticesAddressFragment }) {
  const { id, email, kinds, stopReason, rejection } = address
  const { run } = useAction(NoticesUpdateDocument)
  const [confirming, setConfirming] = useState(false)
  return (
    <>
      <Button size="compact-xs" variant="default" onClick={() => setConfirming(true)}>
        Resume
      </Button>
      <Confirm
        opened={confirming}
        onClose={() => setConfirming(false)}
        title={`Send mails to ${email} again?`}
        action="Resume"
        onConfirm={() => run({ id, input: { kinds: [...kinds] } })}
        success={`${email} gets mails again.`}
      >
        {stopReason === 'REJECTED'
          ? `The mail server rejected the address for good: ${rejection ?? 'without a reason'}. If it does so again, the address is stopped again.`
          : 'The person behind this address unsubscribed. Resume only if they ask for it.'}
      </Confirm>
    </>
  )
}
