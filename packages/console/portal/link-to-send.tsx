import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useAction } from '../api/use-action.ts'
import { CopyButton } from '../components/copy-button.tsx'
import { FormError } from '../components/forms/form-parts.tsx'
import { Time } from '../components/time.tsx'
import { type CreatePortalSessionInput, PortalPreviewBeginDocument } from '../generated/graphql.ts'
import { useSession } from '../session/session.tsx'

/** Creates a portal session, and shows its URL once. */
export function LinkToSend({ input }: { readonly input: CreatePortalSessionInput }) {
  const { name } = useSession().viewer.organization
  const { run, running } = useAction(PortalPreviewBeginDocument)
  const [link, setLink] = useState<{ url: string; expiresAt: string } | null>(null)
  const [error, setError] = useState<string | null>(null)

  async function create() {
    const outcome = await run({ input })
    setError(outcome.ok ? null : outcome.message)
    if (outcome.ok) setLink(outcome.value.portalSession)
  }

  if (link) {
    return (
      <Stack gap="sm">
        <TextInput
          label={`Portal link of ${name}`}
          description={
            <>
              Opens the portal without a sign-in until <Time at={link.expiresAt} />. It is not shown
              again.
            </>
          }
          readOnly
          value={link.url}
          onFocus={({ currentTarget }) => currentTarget.select()}
        />
        <Group>
          <CopyButton value={link.url} label="Copy link" labelled />
        </Group>
      </Stack>
    )
  }
  return (
    <>
      <FormError title="The link was not created">{error}</FormError>
      <Group gap="sm">
        <Button size="xs" variant="default" loading={running} onClick={create}>
          Create link
        </Button>
        <Text size="sm" c="dimmed" flex={1} miw={220}>
          {`Everybody who has the link can use the portal of ${name} until it expires. The audit log records it.`}
        </Text>
      </Group>
    </>
  )
}
