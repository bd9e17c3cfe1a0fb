import { Modal, Text } from '@mantine/core'
import { useState } from 'react'
import type { TemplateTarget } from '../../generated/graphql.ts'
import { ChannelForm } from './channel-form.tsx'
import { ChannelTest } from './channel-test.tsx'
import { TARGETS } from './targets.ts'

type FormProps = Parameters<typeof ChannelForm>[0]

interface ChannelDialogProps extends Pick<FormProps, 'presets' | 'isPublished'> {
  readonly opened: boolean
  onClose(): void
}

/** Adds a channel, and then offers a test. */
export function ChannelDialog({ opened, onClose, ...form }: ChannelDialogProps) {
  const [created, setCreated] = useState<{ id: string; target: TemplateTarget } | null>(null)
  const title = created ? 'Channel added' : 'Send to a channel'
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      onExitTransitionEnd={() => setCreated(null)}
      size="lg"
      title={<Text fw={650}>{title}</Text>}
    >
      {created ? (
        <ChannelTest webhookId={created.id} name={TARGETS[created.target].name} onClose={onClose} />
      ) : (
        <ChannelForm
          {...form}
          onCreated={(id, target) => setCreated({ id, target })}
          onClose={onClose}
        />
      )}
    </Modal>
  )
}
