import { follow } from '../../shared/follow.ts'
import type { Session } from '../../shared/session.ts'
import { backlogText, failureText, stateText, timeText } from '../../shared/words.ts'
import { WebhookHealthChanged, Webhooks } from './documents.ts'
import { element } from './element.ts'
import type { WebhookHealthFragment, WebhookRowFragment } from './generated/graphql.ts'
import { request, subscribe } from './graphql.ts'

export interface ShownList {
  readonly section: HTMLElement
  /** Reads the first page again. */
  read(): Promise<void>
  /** Shows the health of one webhook. */
  showHealth(health: WebhookHealthFragment): void
}

export async function webhookList(
  session: Session,
  onEdit: (webhook: WebhookRowFragment) => void,
): Promise<ShownList> {
  const cards = element('ul', {})
  const empty = element('p', { className: 'empty quiet' }, 'No webhook yet.')
  const more = element('button', { type: 'button' }, 'Show more')
  const webhooks = new Map<string, WebhookRowFragment>()

  async function readPage(after: string | null): Promise<void> {
    const { nodes, pageInfo } = (await request(session, Webhooks, { after })).webhooks
    if (after === null) webhooks.clear()
    for (const webhook of nodes) webhooks.set(webhook.id, webhook)
    more.hidden = !pageInfo.hasNextPage
    more.onclick = () => readPage(pageInfo.endCursor)
    show()
  }

  function show(): void {
    empty.hidden = webhooks.size > 0
    cards.replaceChildren(...[...webhooks.values()].map((webhook) => card(webhook, onEdit)))
  }

  function showHealth(health: WebhookHealthFragment): void {
    const known = webhooks.get(health.id)
    if (!known) return
    webhooks.set(health.id, { ...known, ...health })
    show()
  }

  await readPage(null)
  follow({
    session,
    after: null,
    subscribe: (_after, sink) =>
      subscribe(
        session,
        WebhookHealthChanged,
        {},
        sink,
        ({ webhookHealthChanged: { webhook } }) => {
          sink.received(null)
          if (webhook) showHealth(webhook)
        },
      ),
    reload: () => readPage(null),
    show() {},
  })
  return {
    section: element(
      'section',
      { className: 'webhooks', ariaLabel: 'Webhooks' },
      element('h2', {}, 'Your webhooks'),
      empty,
      cards,
      more,
    ),
    read: () => readPage(null),
    showHealth,
  }
}

function card(
  webhook: WebhookRowFragment,
  onEdit: (webhook: WebhookRowFragment) => void,
): HTMLElement {
  const { url, description, health, lastFailure, backlog } = webhook
  const failure = lastFailure
    ? `Last failure: ${failureText(lastFailure)} ${timeText(lastFailure.recordedAt)}`
    : 'No failure on record'
  const edit = { type: 'button', ariaLabel: `Edit ${url}`, onclick: () => onEdit(webhook) } as const
  return element(
    'li',
    { className: 'card' },
    element(
      'div',
      { className: 'heading' },
      element('h3', {}, url),
      element(
        'span',
        { className: `state ${health.state.toLowerCase()}` },
        stateText(health.state),
      ),
    ),
    description ? element('p', {}, description) : null,
    element('p', { className: 'quiet' }, failure),
    element(
      'div',
      { className: 'heading' },
      element('span', { className: 'quiet' }, backlogText(backlog.count)),
      element('button', edit, 'Edit'),
    ),
  )
}
