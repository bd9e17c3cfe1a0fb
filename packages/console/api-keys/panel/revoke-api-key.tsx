import { Alert, Button, Stack } from '@mantine/core'
import { useState } from 'react'
import { useAction } from '../../api/use-action.ts'
import { Confirm } from '../../components/confirm.tsx'
import { Time } from '../../components/time.tsx'
import { ApiKeysRevokeDocument } from '../../generated/graphql.ts'
import { useSession } from '../../session/session.tsx'
import { type ApiKey, nameOf } from '../key-state.tsx'

/** Revokes a key, after listing what stops working. */
export function RevokeApiKey({ apiKey }: { apiKey: ApiKey }) {
  const { can, viewer } = useSession()
  const { run } = useAction(ApiKeysRevokeDocument)
  const [confirming, setConfirming] = useState(false)
  if (!can('keys:manage')) return null
  const name = nameOf(apiKey)

  return (
    <>
      <Button size="xs" color="red.8" variant="filled" onClick={() => setConfirming(true)}>
        Revoke
      </Button>
      <Confirm
        opened={confirming}
        onClose={() => setConfirming(false)}
        title={`Revoke “${name}”?`}
        action="Revoke key"
        destructive
        onConfirm={() => run({ id: apiKey.id })}
        success={`“${name}” is revoked.`}
      >
        <Stack gap="sm">
          {viewer.apiKey.id === apiKey.id && (
            <Alert color="red" variant="light" title="You are signed in with this key">
              Revoking the key signs you out. You need another key to sign in again.
            </Alert>
          )}
          <span>
            {apiKey.scopes.includes('admin')
              ? 'Requests with this key fail, and its sessions end. The key allows everything, in every organization.'
              : `Requests with this key fail, and its sessions end. The key allows ${apiKey.scopes.join(', ')}.`}
          </span>
          <span>
            {apiKey.lastUsedAt ? (
              <>
                Last used <Time at={apiKey.lastUsedAt} as="relative" />.
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
