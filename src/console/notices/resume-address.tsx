import { Button } from '@mantine/core'
import { useState } from 'react'
import { useAction } from '../api/use-action.ts'
import { Confirm } from '../components/confirm.tsx'
import { type NoticesAddressFragment, NoticesUpdateDocument } from '../generated/graphql.ts'

/** Lets a rejected address get mails again, and sends another link to one that is not confirmed or has unsubscribed. */
export function ResumeAddress({ address }: { address: NoticesAddressFragment }) {
  const { id, kinds } = address
  const { run } = useAction(NoticesUpdateDocument)
  const [confirming, setConfirming] = useState(false)
  const { action, title, success, text } = wordsOf(address)
  return (
    <>
      <Button size="compact-xs" variant="default" onClick={() => setConfirming(true)}>
        {action}
      </Button>
      <Confirm
        opened={confirming}
        onClose={() => setConfirming(false)}
        title={title}
        action={action}
        onConfirm={() => run({ id, input: { kinds: [...kinds] } })}
        success={success}
      >
        {text}
      </Confirm>
    </>
  )
}

const LINK =
  'It gets notices once its owner has used the link. A link works for 7 days, and an address gets at most one an hour.'

function wordsOf({ email, stopReason, rejection }: NoticesAddressFragment) {
  if (stopReason === 'REJECTED') {
    return {
      action: 'Resume',
      title: `Send mails to ${email} again?`,
      success: `Posthorn sends mails to ${email} again.`,
      text: `The mail server rejected the address for good: ${rejection ?? 'without a reason'}. If it does so again, the address is stopped again.`,
    }
  }
  const asked = stopReason === 'UNSUBSCRIBED' ? 'Its owner unsubscribed: do so if they ask. ' : ''
  return {
    action: 'Send link',
    title: `Send ${email} another link?`,
    success: `Posthorn sends ${email} another link.`,
    text: `${asked}${LINK}`,
  }
}
