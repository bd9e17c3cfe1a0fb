import { Alert, Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { useState } from 'react'
import { CopyButton } from '../../components/copy-button.tsx'
import { CodeBlock } from '../../components/json/code-block.tsx'
import { nameOf } from '../key-state.tsx'
import { type CreatedApiKey, NewApiKeyForm } from './new-api-key-form.tsx'

/** Creates a key, then shows its token once. Only a button closes that view. */
export function NewApiKey({ opened, onClose }: { opened: boolean; onClose(): void }) {
  const [created, setCreated] = useState<CreatedApiKey | null>(null)
  const showsToken = created !== null

  function close() {
    setCreated(null)
    onClose()
  }

  return (
    <Modal
      opened={opened}
      onClose={close}
      size="lg"
      title={<Text fw={650}>{showsToken ? 'API key created' : 'Create API key'}</Text>}
      closeOnClickOutside={false}
      closeOnEscape={!showsToken}
      withCloseButton={!showsToken}
    >
      {created ? (
        <NewApiKeyToken created={created} onClose={close} />
      ) : (
        <NewApiKeyForm onCreated={setCreated} onCancel={close} />
      )}
    </Modal>
  )
}

interface NewApiKeyTokenProps {
  readonly created: CreatedApiKey
  onClose(): void
}

/** Shows the token of a new key, with a first request to try it. */
function NewApiKeyToken({ created: { token, apiKey }, onClose }: NewApiKeyTokenProps) {
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
