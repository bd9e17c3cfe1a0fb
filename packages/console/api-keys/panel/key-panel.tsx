import { Anchor, Group, Stack, Text } from '@mantine/core'
import { Link } from 'react-router'
import { useRead } from '../../api/use-read.ts'
import { Id } from '../../components/copy-button.tsx'
import { NodePanel } from '../../components/node-panel.tsx'
import { Facts } from '../../components/page/facts.tsx'
import { Time } from '../../components/time.tsx'
import { ApiKeysOneDocument } from '../../generated/graphql.ts'
import { type ApiKey, KeyStateBadge, nameOf } from '../key-state.tsx'
import { scopeDescription } from '../scopes.ts'
import { EditLimits } from './edit-limits.tsx'
import { RevokeApiKey } from './revoke-api-key.tsx'

interface KeyPanelProps {
  /** The open key, if any. */
  readonly id: string | null
  onClose(): void
}

/** One key: its scopes, limits and use, and a button to revoke it. */
export function KeyPanel({ id, onClose }: KeyPanelProps) {
  const { data, error, reload } = useRead(
    ApiKeysOneDocument,
    { id: id ?? '' },
    { pause: id === null },
  )
  const node = data?.node
  const apiKey = node?.__typename === 'ApiKey' && node.id === id ? node : null
  return (
    <NodePanel
      opened={id !== null}
      onClose={onClose}
      size="lg"
      title={apiKey ? nameOf(apiKey) : 'API key'}
      error={error}
      reload={reload}
      missing={node === null && 'This API key does not exist in this organization.'}
    >
      {apiKey && <KeyDetails key={apiKey.id} apiKey={apiKey} />}
    </NodePanel>
  )
}

function KeyDetails({ apiKey }: { apiKey: ApiKey }) {
  return (
    <Stack gap="xl">
      <Group>
        <KeyStateBadge apiKey={apiKey} />
        <Id id={apiKey.id} />
      </Group>
      <Facts
        facts={[
          { label: 'Token prefix', value: <span className="ph-mono">{apiKey.tokenHint}…</span> },
          { label: 'Created', value: <Time at={apiKey.createdAt} /> },
          {
            label: 'Last used',
            value: apiKey.lastUsedAt ? <Time at={apiKey.lastUsedAt} as="relative" /> : 'Never',
          },
          { label: 'Expires', value: apiKey.expiresAt ? <Time at={apiKey.expiresAt} /> : 'Never' },
          apiKey.revokedAt ? { label: 'Revoked', value: <Time at={apiKey.revokedAt} /> } : null,
        ]}
      />
      <Stack gap="xs" component="section">
        <Text fw={600} size="sm" component="h3" m={0}>
          Scopes
        </Text>
        <Stack gap={6} component="ul" m={0} pl="lg">
          {apiKey.scopes.map((scope) => (
            <Text key={scope} size="sm" component="li">
              <span className="ph-mono">{scope}</span>{' '}
              <Text span size="sm" c="dimmed">
                {scopeDescription(scope)}
              </Text>
            </Text>
          ))}
        </Stack>
      </Stack>
      <EditLimits apiKey={apiKey} />
      <Group justify="space-between">
        <Anchor component={Link} to={`/audit-log?key=${apiKey.id}`} size="sm">
          Audit log of this key
        </Anchor>
        {!apiKey.revokedAt && <RevokeApiKey apiKey={apiKey} />}
      </Group>
    </Stack>
  )
}
