import { Alert, Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { CopyButton } from '../components/copy-button.tsx'
import { CodeBlock } from '../components/json/code-block.tsx'
import { t } from '../strings/t.ts'
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
        title={t('apiKeys:newApiKeyToken.warningTitle')}
      >
        {t('apiKeys:newApiKeyToken.warningText')}
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
          <CopyButton value={token} label={t('apiKeys:newApiKeyToken.copyToken')} labelled />
        </Group>
      </Stack>
      <Stack gap="xs">
        <Text size="sm" fw={500}>
          {t('apiKeys:newApiKeyToken.testRequest')}
        </Text>
        <CodeBlock code={curl} label={t('apiKeys:newApiKeyToken.command')} />
        <Group>
          <CopyButton value={curl} label={t('apiKeys:newApiKeyToken.copyCommand')} labelled />
        </Group>
      </Stack>
      <Group justify="end">
        <Button onClick={onClose}>{t('apiKeys:newApiKeyToken.done')}</Button>
      </Group>
    </Stack>
  )
}
