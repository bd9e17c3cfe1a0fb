import { Group, PasswordInput, SegmentedControl } from '@mantine/core'
import { useState } from 'react'

interface CredentialsProps {
  /** Null: the session of the console. */
  onChange(token: string | null): void
}

/** Chooses with which rights operations run. Nothing stores the token. */
export function Credentials({ onChange }: CredentialsProps) {
  const [token, setToken] = useState<string | null>(null)

  function change(given: string | null) {
    setToken(given)
    onChange(given?.trim() ?? null)
  }

  return (
    <Group gap={8}>
      <SegmentedControl
        size="xs"
        aria-label="Run as"
        value={token === null ? 'session' : 'token'}
        onChange={(chosen) => change(chosen === 'token' ? '' : null)}
        data={[
          { value: 'session', label: 'My session' },
          { value: 'token', label: 'Another token' },
        ]}
      />
      {token !== null && (
        <PasswordInput
          aria-label="API key or portal token"
          placeholder="phk_…"
          size="xs"
          w={220}
          autoComplete="off"
          value={token}
          onChange={({ currentTarget }) => change(currentTarget.value)}
        />
      )}
    </Group>
  )
}
