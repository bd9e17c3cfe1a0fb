import '../../shared/page.css'
import { openSession, type Session } from '../../shared/session.ts'
import { attemptLog } from './attempt-log.ts'
import { EventTypes } from './documents.ts'
import { element } from './element.ts'
import type { WebhookRowFragment } from './generated/graphql.ts'
import { request } from './graphql.ts'
import { webhookForm } from './webhook-form.ts'
import { webhookList } from './webhook-list.ts'

const main = document.querySelector('main') as HTMLElement

function notice(message: string): HTMLElement {
  return element('p', { role: 'alert', className: 'notice' }, message)
}

async function showPage(session: Session): Promise<void> {
  const header = element(
    'header',
    {},
    element('h1', {}, 'Webhooks'),
    element('p', { className: 'quiet' }, 'An example with fetch'),
  )
  session.onEnd(() => header.after(notice(session.ended ?? '')))

  const formSection = element('section', { ariaLabel: 'Form' })
  const { eventTypes } = await request(session, EventTypes, {})
  const list = await webhookList(session, openForm)
  function openForm(webhook: WebhookRowFragment | null) {
    const options = { eventTypes, saved: list.read, close: () => openForm(null) }
    formSection.replaceChildren(...webhookForm(session, webhook, options))
    if (webhook) formSection.querySelector('input')?.focus()
  }
  openForm(null)
  const log = await attemptLog(session, list.showHealth)
  main.replaceChildren(header, list.section, formSection, log)
}

openSession()
  .then(showPage)
  .catch((error: Error) => main.replaceChildren(notice(error.message)))
