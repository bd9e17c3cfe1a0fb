import { Alert, Button, Stack } from '@mantine/core'
import { useState } from 'react'
import { useAction } from '../api/use-action.ts'
import { Confirm } from '../components/confirm.tsx'
import { notifySuccess } from '../components/notify.ts'
import { Time } from '../components/time.tsx'
import { ApiKeysRevokeDocument } from '../generated/graphql.ts'
import { useSession } from '../session/session.tsx'
import { type ApiKey, nameOf } from './key-state.tsx'

/** Revokes a key, after listing what stops working. */
export function RevokeApiKey({ apiKey }: { apiKey: ApiKey }) {
  const { can, viewer } = useSession()
  const { run } = useAction(ApiKeysRevokeDocument)
  const [asking, setAsking] = useState(false)
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
      <Button size="xs" color="red.8" variant="filled" onClick={() => setAsking(true)}>
        Revoke
      </Button>
      <Confirm
        opened={asking}
        onClose={() => setAsking(false)}
        title={`Revoke “${name}”?`}
        action="Revoke the key"
        destructive
        onConfirm={confirm}
      >
        <Stack gap="sm">
          {viewer.apiKey.id === apiKey.id && (
            <Alert color="red" variant="light" title="You are signed in with this key">
              You are signed out as soon as it is revoked, and need another key to come back.
            </Alert>
          )}
          <span>
            Every program that uses it is refused from that moment on:{' '}
            {apiKey.scopes.includes('admin')
              ? 'with this key it could do everything, in every organization.'
              : `it can no longer use ${apiKey.scopes.join(', ')}.`}{' '}
            Sessions that were begun with it end, too.
          </span>
          <span>
            {apiKey.lastUsedAt ? (
              <>
                It was last used <Time at={apiKey.lastUsedAt} as="relative" />.
              </>
            ) : (
              'It was never used.'
            )}{' '}
            This cannot be undone. What was published and delivered stays.
          </span>
        </Stack>
      </Confirm>
    </>
  )
}
