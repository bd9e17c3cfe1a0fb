import { Checkbox, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useAction } from '../api/use-action.ts'
import { Confirm } from '../components/confirm.tsx'
import { OrganizationsDeleteDocument } from '../generated/graphql.ts'

interface DeleteOrganizationProps {
  readonly organization: { readonly id: string; readonly name: string }
  onClose(): void
}

/** Whoever deletes an organization types its name, so that nobody deletes the one in the next row. */
export function DeleteOrganization({
  organization: { id, name },
  onClose,
}: DeleteOrganizationProps) {
  const { run } = useAction(OrganizationsDeleteDocument)
  const [typed, setTyped] = useState('')
  const [force, setForce] = useState(false)
  return (
    <Confirm
      opened
      onClose={onClose}
      title="Delete organization"
      action="Delete"
      destructive
      pending={typed.trim() !== name.trim()}
      onConfirm={() => run({ id, force })}
      success={`${name} is deleted.`}
    >
      API keys and sessions of <strong>{name}</strong> stop at once, and nothing is published or
      sent for it any more. Everything that is stored about it is deleted in the background. You
      cannot undo this.
      <TextInput
        mt="md"
        label={`Type ${name} to confirm`}
        autoComplete="off"
        data-autofocus
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
      <Checkbox
        mt="md"
        label="Also if it has enabled webhooks"
        description="Deliveries that wait are not sent."
        checked={force}
        onChange={(event) => setForce(event.currentTarget.checked)}
      />
    </Confirm>
  )
}
