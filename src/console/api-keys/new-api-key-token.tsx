import { Alert, Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { CopyButton } from '../components/copy-button.tsx'
import { CodeBlock } from '../components/json/code-block.tsx'
import type { CreatedApiKey } from './created-api-key.ts'
import { nameOf } from './key-state.tsx'

interface NewApiKeyTokenProps {
  readonly created: CreatedApiKey
  onClose(): void
}

/** Shows the token of a new key, with a first request to try it. */
export function NewApiKeyToken({ created: { token, apiKey }, onClose }: NewApiKeyTokenProps) {
  const curl = `curl ${location.origin}/graphql -H 'Authorization: Bearer ${token}' -H 'Content-Type: application/json' -d '{"query":"{ viewer { organization { name } scopes } }"}'`
  return (
    <Stack gap="lg">
      <Alert
        color="yellow"
        variant="light"
        icon={<IconAlertTriangle size={18} />}
        title="Copy the token now: it will not be shown again"
      >
        Posthorn stores only a hash of the token. If you lose it, create another key and revoke this
        one.
      </Alert>
      <Stack gap="xs">
        <TextInput
          label={`Token of “${nameOf(apiKey)}”`}
          readOnly
          data-autofocus
          value={token}
          onFocus={(event) => event.currentTarget.select()}
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 13 } }}
        />
        <Group>
          <CopyButton value={token} label="Copy token" labelled />
        </Group>
      </Stack>
      <Stack gap="xs">
        <Text size="sm" fw={500}>
          Test request
        </Text>
        <CodeBlock code={curl} label="Command" />
        <Group>
          <CopyButton value={curl} label="Copy command" labelled />
        </Group>
      </Stack>
      <Group justify="end">
        <Button onClick={onClose}>I have stored the token</Button>
      </Group>
    </Stack>
  )
}
