import { Button, Modal, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useState } from 'react'
import { AccessSwitches } from '../portal/access-fields.tsx'
import { LinkToSend } from '../portal/link-to-send.tsx'
import { DEFAULTS, inputOf } from '../portal/portal-options.ts'
import { useSession } from '../session/session.tsx'

interface PortalLinkButtonProps {
  readonly organization: { readonly id: string; readonly name: string }
}

/** Creates a link to the portal of an organization, to send to its people. */
export function PortalLinkButton({ organization }: PortalLinkButtonProps) {
  const { can } = useSession()
  const [opened, { open, close }] = useDisclosure()
  const [options, setOptions] = useState(DEFAULTS)
  return (
    <>
      <Button
        size="xs"
        variant="subtle"
        aria-label={`Portal link of ${organization.name}`}
        onClick={open}
      >
        Portal link
      </Button>
      <Modal
        opened={opened}
        onClose={close}
        title={<Text fw={650}>{`Portal link of ${organization.name}`}</Text>}
      >
        <Stack>
          <Text size="sm">
            A link for an hour to the portal of the organization, where its people see their
            endpoints and deliveries.
          </Text>
          <AccessSwitches
            options={options}
            change={(changed) => setOptions({ ...options, ...changed })}
          />
          <LinkToSend organization={organization} input={inputOf(options, can)} />
        </Stack>
      </Modal>
    </>
  )
}
