import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { requestOptions } from '../api/client.ts'
import { useAction } from '../api/use-action.ts'
import { CopyButton } from '../components/copy-button.tsx'
import { FormError } from '../components/forms/form-parts.tsx'
import { Time } from '../components/time.tsx'
import { type CreatePortalSessionInput, PortalPreviewBeginDocument } from '../generated/graphql.ts'

interface LinkToSendProps {
  readonly organization: { readonly id: string; readonly name: string }
  readonly input: CreatePortalSessionInput
}

/** Creates a portal session, and shows its URL once. Other settings need another link. */
export function LinkToSend({ organization: { id, name }, input }: LinkToSendProps) {
  const { run, running } = useAction(PortalPreviewBeginDocument)
  const [created, setCreated] = useState<Created | null>(null)
  const [error, setError] = useState<string | null>(null)
  const settings = JSON.stringify(input)
  const link = created?.settings === settings ? created : null

  async function create() {
    const outcome = await run({ input }, { fetchOptions: requestOptions(null, id) })
    setError(outcome.ok ? null : outcome.message)
    if (outcome.ok) setCreated({ ...outcome.value.portalSession, settings })
  }

  return (
    <Stack gap="sm">
      <FormError title="The link was not created">{error}</FormError>
      {link ? (
        <>
          <TextInput
            label={`Portal link of ${name}`}
            description={
              <>
                Opens the portal without a sign-in until <Time at={link.expiresAt} />. It is not
                shown again.
              </>
            }
            readOnly
            value={link.url}
            onFocus={({ currentTarget }) => currentTarget.select()}
          />
          <Group gap="xs">
            <CopyButton value={link.url} label="Copy link" labelled />
            <Button
              component="a"
              href={link.url}
              target="_blank"
              rel="noreferrer"
              size="xs"
              variant="default"
            >
              Open portal
            </Button>
          </Group>
        </>
      ) : (
        <Group gap="sm">
          <Button size="xs" variant="default" loading={running} onClick={create}>
            Create link
          </Button>
          <Text size="sm" c="dimmed" flex={1} miw={220}>
            {`Everybody who has the link can use the portal of ${name} until it expires. The audit log records it.`}
          </Text>
        </Group>
      )}
    </Stack>
  )
}

interface Created {
  readonly url: string
  readonly expiresAt: string
  /** Those that the link was created with. */
  readonly settings: string
}
