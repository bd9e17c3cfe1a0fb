import { Alert, Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconSend } from '@tabler/icons-react'
import { type FormEvent, useState } from 'react'
import { type Rejection, useAction } from '../../api/use-action.ts'
import { type CopyAnswerFragment, DeliverySendCopyDocument } from '../../generated/graphql.ts'
import { t } from '../../strings/t.ts'
import { CopyAnswer } from './copy-answer.tsx'

/** Sends the body of a delivery to a URL of the reader, and shows the answer. */
export function SendCopy({ deliveryId }: { deliveryId: string }) {
  const [opened, { open, close }] = useDisclosure()
  return (
    <>
      <Button size="xs" variant="default" leftSection={<IconSend size={16} />} onClick={open}>
        {t('deliveries:copy.open')}
      </Button>
      <Modal
        opened={opened}
        onClose={close}
        size="lg"
        centered
        title={<Text fw={650}>{t('deliveries:copy.title')}</Text>}
      >
        {opened && <Form deliveryId={deliveryId} close={close} />}
      </Modal>
    </>
  )
}

function Form({ deliveryId, close }: { deliveryId: string; close(): void }) {
  const { run, running } = useAction(DeliverySendCopyDocument)
  const [url, setUrl] = useState('')
  const [rejection, setRejection] = useState<Rejection | null>(null)
  const [answer, setAnswer] = useState<CopyAnswerFragment | null>(null)
  const ofUrl = rejection?.issues.map(({ message }) => message).join(' ')

  async function send(event: FormEvent) {
    event.preventDefault()
    setAnswer(null)
    const outcome = await run({ id: deliveryId, input: { url: url.trim() } })
    setRejection(outcome.ok ? null : outcome)
    if (outcome.ok) setAnswer(outcome.value.copy)
  }

  return (
    <form onSubmit={send}>
      <Stack>
        <Text size="sm" c="dimmed">
          {t('deliveries:copy.help')}
        </Text>
        <TextInput
          label={t('deliveries:copy.url')}
          placeholder="https://"
          type="url"
          maxLength={2_048}
          value={url}
          onChange={({ currentTarget }) => {
            setUrl(currentTarget.value)
            setRejection(null)
          }}
          error={ofUrl}
          errorProps={{ role: 'alert' }}
          data-autofocus
        />
        {rejection && !ofUrl && (
          <Alert color="red" variant="light" role="alert" title={t('deliveries:copy.failedTitle')}>
            {rejection.message}
          </Alert>
        )}
        {answer && <CopyAnswer answer={answer} />}
        <Group justify="end" gap="xs">
          <Button variant="default" onClick={close}>
            {t('common:close')}
          </Button>
          <Button type="submit" loading={running} disabled={url.trim() === ''}>
            {t(answer ? 'deliveries:copy.sendAgain' : 'deliveries:copy.send')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
