import { Group, PasswordInput, SegmentedControl } from '@mantine/core'
import { useState } from 'react'
import { t } from '../strings/t.ts'

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
        aria-label={t('explore:credentials.runAs')}
        value={token === null ? 'session' : 'token'}
        onChange={(chosen) => change(chosen === 'token' ? '' : null)}
        data={[
          { value: 'session', label: t('explore:credentials.mySession') },
          { value: 'token', label: t('explore:credentials.anotherToken') },
        ]}
      />
      {token !== null && (
        <PasswordInput
          aria-label={t('explore:credentials.token')}
          placeholder={t('explore:credentials.tokenPlaceholder')}
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
