import { Button, Group, List, Stack } from '@mantine/core'
import { useState } from 'react'
import { useRead } from '../api/use-read.ts'
import {
  type TaskGroupsQuery,
  TaskWebhooksDocument,
  type TaskWebhooksQuery,
} from '../generated/graphql.ts'
import { formatCount } from '../lib/format.ts'
import { useSession } from '../session/session.tsx'
import { ResumeWebhook, ToggleWebhook } from '../webhooks/actions/webhook-dialogs.tsx'
import { webhookName } from '../webhooks/webhook-name.ts'
import type { TargetAction } from './task-target.ts'

export type DeliveryGroup = NonNullable<TaskGroupsQuery['deliveryGroups']>[number]
type Node = NonNullable<TaskWebhooksQuery['nodes']>[number]
type Webhook = Extract<NonNullable<Node>, { url: string }>

interface LeftOutProps {
  readonly action: TargetAction
  readonly groups: readonly DeliveryGroup[]
  /** Some of the deliveries are sent now. */
  onChange(): void
}

/** How many of the selected deliveries a bulk action leaves alone and why, with what helps instead. */
export function LeftOut({ action, groups, onChange }: LeftOutProps) {
  const { can } = useSession()
  const waiting = groups.filter(({ state }) => state === 'WAITING')
  const ids = [...new Set(waiting.flatMap(({ webhookIds }) => webhookIds))]
  const isHelped = action === 'REDELIVER' && ids.length > 0 && can('webhooks:read')
  const { data } = useRead(TaskWebhooksDocument, { ids }, { pause: !isHelped })
  if (groups.length === 0) return null
  const webhooks = (isHelped ? (data?.nodes ?? []) : []).filter(isWebhook)
  const onHold = can('deliveries:write') ? webhooks.filter(isOnHold) : []
  const disabled = can('webhooks:write') ? webhooks.filter(({ enabled }) => !enabled) : []
  return (
    <Stack gap="xs">
      <List size="sm" spacing={4}>
        {groups.map((group) => (
          <List.Item key={`${group.state} ${group.parkedReason} ${group.webhookDeleted}`}>
            {formatCount(group.count)} {whyLeftOut(action, group, webhooks)}
          </List.Item>
        ))}
      </List>
      <Group gap="xs">
        {onHold.map((webhook) => (
          <Resume key={webhook.id} webhook={webhook} onChange={onChange} />
        ))}
        {disabled.map((webhook) => (
          <Enable key={webhook.id} webhook={webhook} onChange={onChange} />
        ))}
      </Group>
    </Stack>
  )
}

const isOnHold = ({ health }: Webhook) => health?.state === 'ON_HOLD'

const isWebhook = (node: Node): node is Webhook => node !== null && 'url' in node

/** Why deliveries are left out, after their number. */
function whyLeftOut(
  action: TargetAction,
  { state, parkedReason, webhookDeleted, webhookIds }: DeliveryGroup,
  webhooks: readonly Webhook[],
): string {
  if (action === 'CANCEL') return 'finished already.'
  if (webhookDeleted) return 'cannot be sent: the webhook was deleted.'
  if (state === 'QUEUED') return 'queued: the first attempt runs anyway.'
  if (state === 'SUCCEEDED') return 'succeeded. To send them again, filter by this state.'
  if (state === 'CANCELED') return 'canceled. To send them, filter by this state.'
  if (state !== 'WAITING') return 'not of a selected state.'
  // A delivery that was parked before the hold has another reason, and waits for the hold too.
  if (
    parkedReason === 'ON_HOLD' ||
    webhooks.some((one) => webhookIds.includes(one.id) && isOnHold(one))
  ) {
    return 'waiting: the webhook is on hold. They are sent when it works again, or is resumed.'
  }
  if (parkedReason === 'DISABLED') return 'waiting: the webhook is disabled.'
  if (parkedReason === 'ORDERED')
    return 'waiting: earlier deliveries of an ordered webhook go first.'
  return 'waiting: the webhook is at its limit. They are sent as there is room.'
}

interface RemedyProps {
  readonly webhook: Webhook
  onChange(): void
}

function Resume({ webhook, onChange }: RemedyProps) {
  const [asking, setAsking] = useState(false)
  return (
    <>
      <Button size="xs" variant="default" onClick={() => setAsking(true)}>
        {`Resume ${webhookName(webhook)}`}
      </Button>
      <ResumeWebhook
        webhookId={webhook.id}
        opened={asking}
        close={() => setAsking(false)}
        done={onChange}
      />
    </>
  )
}

function Enable({ webhook, onChange }: RemedyProps) {
  const [asking, setAsking] = useState(false)
  return (
    <>
      <Button size="xs" variant="default" onClick={() => setAsking(true)}>
        {`Enable ${webhookName(webhook)}`}
      </Button>
      <ToggleWebhook
        webhook={webhook}
        opened={asking}
        close={() => setAsking(false)}
        done={onChange}
      />
    </>
  )
}
