import { Collapse, Group, Stack, Text, UnstyledButton } from '@mantine/core'
import { IconChevronRight, IconCircleCheck, IconCircleX } from '@tabler/icons-react'
import { t } from '../../language/t.ts'
import './attempt-timeline.css'
import { Time } from '../../components/time.tsx'
import type { AttemptStepFragment } from '../../generated/graphql.ts'
import { formatDuration } from '../../lib/format.ts'
import { ResponseStatus } from '../list/delivery-columns.tsx'
import { AttemptDetail } from './attempt-detail.tsx'

interface AttemptTimelineProps {
  /** In the order of the page. */
  readonly attempts: readonly AttemptStepFragment[]
  readonly opened: string | null
  open(id: string | null): void
}

export function AttemptTimeline({ attempts, opened, open }: AttemptTimelineProps) {
  return (
    <ol className="ph-timeline" reversed>
      {attempts.map((attempt) => (
        <Step
          key={attempt.id}
          attempt={attempt}
          isOpen={attempt.id === opened}
          toggle={() => open(attempt.id === opened ? null : attempt.id)}
        />
      ))}
    </ol>
  )
}

interface StepProps {
  readonly attempt: AttemptStepFragment
  readonly isOpen: boolean
  toggle(): void
}

function Step({ attempt, isOpen, toggle }: StepProps) {
  const { id, number, startedAt, succeeded, status, durationMs } = attempt
  const Icon = succeeded ? IconCircleCheck : IconCircleX
  return (
    <li id={id}>
      <span className="ph-timeline-dot" data-succeeded={succeeded || undefined}>
        <Icon size={20} aria-hidden />
      </span>
      <Stack gap={0} miw={0} flex={1}>
        <UnstyledButton
          className="ph-timeline-step"
          onClick={toggle}
          aria-expanded={isOpen}
          aria-controls={`${id}-detail`}
        >
          <Stack gap={2} miw={0} flex={1}>
            <Group gap="xs" component="span">
              <Text span size="sm" fw={600}>
                {t('Attempt {number}', { number })}
              </Text>
              <Text span size="sm">
                <ResponseStatus succeeded={succeeded} status={status} />
              </Text>
              <Text span size="sm" c="dimmed">
                {formatDuration(durationMs)}
              </Text>
              <Text span size="sm" c="dimmed">
                <Time at={startedAt} />
              </Text>
            </Group>
            <Text span size="sm" display="block">
              {attempt.meaning ?? t('The receiver accepted the delivery.')}
            </Text>
          </Stack>
          <IconChevronRight size={18} className="ph-timeline-chevron" aria-hidden />
        </UnstyledButton>
        <Collapse expanded={isOpen} id={`${id}-detail`} transitionDuration={0}>
          {isOpen && <AttemptDetail id={id} attempt={attempt} hint={attempt.advice ?? null} />}
        </Collapse>
      </Stack>
    </li>
  )
}
