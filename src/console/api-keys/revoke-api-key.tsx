import { Alert, Button, Stack } from '@mantine/core'
import { useState } from 'react'
import { useAction } from '../api/use-action.ts'
import { Confirm } from '../components/confirm.tsx'
import { notifySuccess } from '../components/notify.ts'
import { Time } from '../components/time.tsx'
import { ApiKeysRevokeDocument } from '../generated/graphql.ts'
import { useSession } from '../session/session.tsx'
import { t } from '../strings/t.ts'
import { type ApiKey, nameOf } from './key-state.tsx'

/** Revokes a key, after listing what stops working. */
export function RevokeApiKey({ apiKey }: { apiKey: ApiKey }) {
  const { can, viewer } = useSession()
  const { run } = useAction(ApiKeysRevokeDocument)
  const [confirming, setConfirming] = useState(false)
  if (!can('keys:manage')) return null
  const name = nameOf(apiKey)

  async function confirm() {
    const outcome = await run({ id: apiKey.id })
    if (!outcome.ok) return outcome.message
    notifySuccess(`“${name}” is revoked.`)
    return null
  }

  return (
    <>
      <Button size="xs" color="red.8" variant="filled" onClick={() => setConfirming(true)}>
        {t('apiKeys:revokeApiKey.open')}
      </Button>
      <Confirm
        opened={confirming}
        onClose={() => setConfirming(false)}
        title={`Revoke “${name}”?`}
        action={t('apiKeys:revokeApiKey.confirm')}
        destructive
        onConfirm={confirm}
      >
        <Stack gap="sm">
          {viewer.apiKey.id === apiKey.id && (
            <Alert color="red" variant="light" title={t('apiKeys:revokeApiKey.ownKeyTitle')}>
              {t('apiKeys:revokeApiKey.ownKeyText')}
            </Alert>
          )}
          <span>
            Requests with this key will fail.{' '}
            {apiKey.scopes.includes('admin')
              ? 'It allows everything, in every organization.'
              : `It allows ${apiKey.scopes.join(', ')}.`}{' '}
            Its sessions end as well.
          </span>
          <span>
            {apiKey.lastUsedAt ? (
              <>
                {t('apiKeys:revokeApiKey.lastUsed')} <Time at={apiKey.lastUsedAt} as="relative" />.
              </>
            ) : (
              'Never used.'
            )}{' '}
            This cannot be undone. Published events and their deliveries stay.
          </span>
        </Stack>
      </Confirm>
    </>
  )
}
