import { useClient } from 'urql'
import { describeError } from '../../api/request-error.ts'
import { type Outcome, useAction } from '../../api/use-action.ts'
import {
  NoticeChannelTemplateDocument,
  NoticesSetOperationalEventsDocument,
  type TemplateTarget,
  WebhookCreateDocument,
} from '../../generated/graphql.ts'
import { typeOfKind, USUAL_KINDS } from '../notice-kinds.ts'
import { TARGETS, withRoutingKey } from './targets.ts'

interface NewChannel {
  readonly target: TemplateTarget
  readonly url: string
  /** For PagerDuty only. */
  readonly routingKey: string | null
  /** Whether the catalogue has operational events. */
  readonly isPublished: boolean
}

/** Chats take about one message a second. */
const MESSAGES_PER_SECOND = 1

/** Creates the webhook of a channel. An operator's first channel also switches operational events on. */
export function useCreateChannel() {
  const client = useClient()
  const enable = useAction(NoticesSetOperationalEventsDocument)
  const create = useAction(WebhookCreateDocument)

  async function run(channel: NewChannel): Promise<Outcome<{ webhook: { id: string } }>> {
    const { target, url, routingKey, isPublished } = channel
    if (!isPublished) {
      const outcome = await enable.run(
        { input: { enabled: true } },
        { additionalTypenames: ['EventType'] },
      )
      if (!outcome.ok) return outcome
    }
    const { data, error } = await client
      .query(NoticeChannelTemplateDocument, {}, { requestPolicy: 'network-only' })
      .toPromise()
    const preset = data?.templatePresets?.find((one) => one.target === target)
    if (!preset) {
      const message = error ? describeError(error).message : 'There is no template for this target.'
      return { ok: false, message, issues: [] }
    }
    const { template } = preset
    return await create.run({
      input: {
        url,
        enabled: true,
        description: `Notices in ${TARGETS[target].name}`,
        eventSubscriptions: USUAL_KINDS.map(typeOfKind),
        template: routingKey === null ? template : withRoutingKey(template, routingKey),
        rateLimitPerSecond: MESSAGES_PER_SECOND,
      },
    })
  }

  return { run, running: enable.running || create.running }
}
