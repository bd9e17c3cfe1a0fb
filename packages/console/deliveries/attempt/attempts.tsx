import { Accordion, Group, Text } from '@mantine/core'
import { IconCircleCheck, IconCircleX } from '@tabler/icons-react'
import { Time } from '../../components/time.tsx'
import type { AttemptStepFragment } from '../../generated/graphql.ts'
import { t } from '../../language/t.ts'
import { formatDuration } from '../../lib/format.ts'
import { ResponseStatus } from '../list/delivery-columns.tsx'
import { AttemptDetail } from './attempt-detail.tsx'

interface AttemptsProps {
  /** The newest first. */
  readonly attempts: readonly AttemptStepFragment[]
  /** The id of the open attempt. */
  readonly opened: string | null
  open(id: string | null): void
}

/** The attempts of a delivery, of which one is open. */
export function Attempts({ attempts, opened, open }: AttemptsProps) {
  return (
    <Accordion value={opened} onChange={open} order={3} keepMounted={false}>
      {attempts.map((attempt) => (
        <Accordion.Item key={attempt.id} value={attempt.id}>
          <Accordion.Control
            icon={
              attempt.succeeded ? (
                <IconCircleCheck size={20} color="var(--posthorn-on-green)" aria-hidden />
              ) : (
                <IconCircleX size={20} color="var(--posthorn-on-red)" aria-hidden />
              )
            }
          >
            <Group gap="xs" fz="sm" component="span">
              <Text span inherit fw={600}>
                {t('Attempt {number}', { number: attempt.number })}
              </Text>
              <ResponseStatus {...attempt} />
              <Text span inherit c="dimmed">
                {formatDuration(attempt.durationMs)}
              </Text>
              <Text span inherit c="dimmed">
                <Time at={attempt.startedAt} />
              </Text>
            </Group>
            <Text span size="sm">
              {attempt.meaning ?? t('The receiver accepted the delivery.')}
            </Text>
          </Accordion.Control>
          <Accordion.Panel>
            <AttemptDetail attempt={attempt} />
          </Accordion.Panel>
        </Accordion.Item>
      ))}
    </Accordion>
  )
}
