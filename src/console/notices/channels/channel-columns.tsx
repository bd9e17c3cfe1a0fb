import { Button } from '@mantine/core'
import type { Column } from '../../components/lists/list.tsx'
import type { NoticeChannelFragment } from '../../generated/graphql.ts'
import { causeOf } from '../../webhooks/health/last-failure.tsx'
import { WebhookState } from '../../webhooks/health/webhook-state.tsx'
import { webhookOption } from '../../webhooks/webhook-name.ts'
import { TARGETS, targetOf } from './targets.ts'

export function channelName({ template, description }: NoticeChannelFragment): string {
  const target = template == null ? null : targetOf(template)
  return target ? TARGETS[target].name : (description ?? 'Another channel')
}

const COLUMNS: readonly Column<NoticeChannelFragment>[] = [
  {
    label: 'Channel',
    grow: true,
    width: '45%',
    cell: (channel) => (
      <>
        {channelName(channel)}
        <span className="ph-below">{webhookOption(channel)}</span>
      </>
    ),
  },
  {
    label: 'State',
    grow: true,
    width: '55%',
    cell: ({ enabled, health, lastFailure }) => (
      <>
        <WebhookState enabled={enabled} health={health} />
        {lastFailure && isInTrouble(health?.state) && (
          <span className="ph-below">{causeOf(lastFailure)}</span>
        )}
      </>
    ),
  },
]

const isInTrouble = (state: string | undefined) =>
  state === 'FAILING' || state === 'ON_HOLD' || state === 'DEGRADED'

/** `test`: offers a test, to viewers who may send one. */
export function channelColumns(
  test: ((channel: NoticeChannelFragment) => void) | null,
): readonly Column<NoticeChannelFragment>[] {
  if (!test) return COLUMNS
  return [
    ...COLUMNS,
    {
      label: '',
      width: 130,
      end: true,
      cell: (channel) => (
        <Button size="compact-xs" variant="default" onClick={() => test(channel)}>
          Send a test
        </Button>
      ),
    },
  ]
}
