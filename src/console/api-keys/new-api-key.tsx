import { Modal, Text } from '@mantine/core'
import { useState } from 'react'
import type { CreatedApiKey } from './created-api-key.ts'
import { NewApiKeyForm } from './new-api-key-form.tsx'
import { NewApiKeyToken } from './new-api-key-token.tsx'

interface NewApiKeyProps {
  readonly opened: boolean
  onClose(): void
}

/** Creates a key, then shows its token once. Only a button closes that view. */
export function NewApiKey({ opened, onClose }: NewApiKeyProps) {
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
