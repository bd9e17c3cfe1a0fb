import { Button, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconSend } from '@tabler/icons-react'
import { type FormEvent, useState } from 'react'
import { type Rejection, useAction } from '../../api/use-action.ts'
import { FormButtons, FormError } from '../../components/forms/form-parts.tsx'
import { type CopyAnswerFragment, DeliverySendCopyDocument } from '../../generated/graphql.ts'
import { t } from '../../language/t.ts'
import { CopyAnswer } from './copy-answer.tsx'

/** Sends the body of a delivery to a URL of the reader, and shows the answer. */
export function SendCopy({ deliveryId }: { deliveryId: string }) {
  const [opened, { open, close }] = useDisclosure()
  return (
    <>
      <Button size="xs" variant="default" leftSection={<IconSend size={16} />} onClick={open}>
        {t('Send to another URL')}
      </Button>
      <Modal
        opened={opened}
        onClose={close}
        size="lg"
        centered
        title={<Text fw={650}>{t('Send a copy to another URL')}</Text>}
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
          {t(
            'Sends this payload once, without a signature and without the webhook’s custom headers. The delivery does not change.',
          )}
        </Text>
        <TextInput
          label={t('URL')}
          placeholder={t('https://')}
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
        <FormError title={t('The copy was not sent')}>{!ofUrl && rejection?.message}</FormError>
        {answer && <CopyAnswer answer={answer} />}
        <FormButtons
          action={answer ? t('Send again') : t('Send copy')}
          loading={running}
          disabled={url.trim() === ''}
          dismiss={close}
          dismissLabel={t('Close')}
        />
      </Stack>
    </form>
  )
}
