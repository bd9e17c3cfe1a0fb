import { follow } from '../../shared/follow.ts'
import type { Session } from '../../shared/session.ts'
import { outcomeText, STREAM_STATES, timeText } from '../../shared/words.ts'
import { AttemptRecorded, Attempts } from './documents.ts'
import { element } from './element.ts'
import type { AttemptRowFragment, WebhookHealthFragment } from './generated/graphql.ts'
import { request, subscribe } from './graphql.ts'

/** The newest attempts, and each one when it is recorded. */
export async function attemptLog(
  session: Session,
  showHealth: (health: WebhookHealthFragment) => void,
): Promise<HTMLElement> {
  const rows = element('ul', {})
  const empty = element('p', { className: 'empty quiet' }, 'No attempt yet.')
  const state = element('span', { role: 'status' })

  async function read(): Promise<string | null> {
    const { nodes } = (await request(session, Attempts, {})).attempts
    rows.replaceChildren(...nodes.map(row))
    empty.hidden = nodes.length > 0
    return nodes[0]?.id ?? null
  }

  function show(attempt: AttemptRowFragment): void {
    // A resumed stream sends some attempts again.
    if (rows.querySelector(`[data-id="${attempt.id}"]`)) return
    rows.prepend(row(attempt))
    empty.hidden = true
  }

  follow({
    session,
    after: await read(),
    subscribe: (after, sink) =>
      subscribe(session, AttemptRecorded, { after }, sink, ({ attemptRecorded: attempt }) => {
        if (!attempt) return
        sink.received(attempt.id)
        show(attempt)
        if (attempt.webhook) showHealth(attempt.webhook)
      }),
    reload: read,
    show(name) {
      state.className = `state ${name}`
      state.textContent = STREAM_STATES[name]
    },
  })
  const heading = element('div', { className: 'heading' }, element('h2', {}, 'Deliveries'), state)
  return element('section', { className: 'log', ariaLabel: 'Deliveries' }, heading, empty, rows)
}

function row(attempt: AttemptRowFragment): HTMLElement {
  const { id, number, succeeded, recordedAt, webhook } = attempt
  const created = element(
    'li',
    {},
    element('span', { className: succeeded ? 'succeeded' : 'failed' }, outcomeText(attempt)),
    element('time', { className: 'quiet', dateTime: recordedAt }, timeText(recordedAt)),
    element(
      'span',
      { className: 'quiet' },
      `${webhook?.url ?? 'Deleted webhook'}, attempt ${number}`,
    ),
  )
  created.dataset['id'] = id
  return created
}
