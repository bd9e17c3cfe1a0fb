import { oneLine } from '../lib/one-line.ts'
import type { OperationalEventType } from './operational-event-types.ts'

export interface DigestedNotice {
  readonly type: OperationalEventType
  readonly data: {
    readonly organization: { readonly id: string; readonly name: string }
    readonly webhook?: {
      readonly id: string
      readonly host: string
      readonly description: string | null
    }
    readonly api_key?: { readonly name: string | null; readonly token_hint: string }
    readonly last_error?: string | null
    readonly count?: number
    readonly link?: string | undefined
  }
}

const WORDS: Readonly<Record<OperationalEventType, string>> = {
  'posthorn.webhook.degraded': 'is degraded: a share of its deliveries fails',
  'posthorn.webhook.behind': 'is behind: its deliveries wait for too long',
  'posthorn.webhook.failing': 'is failing',
  'posthorn.webhook.on_hold': 'is on hold: its deliveries wait until the endpoint responds again',
  'posthorn.webhook.recovered': 'has recovered',
  'posthorn.delivery.exhausted': 'has deliveries whose attempts all failed',
  'posthorn.secret.rotated': 'has a new signing secret',
  'posthorn.secret.expiring': 'has an old signing secret that expires within 4 hours',
  'posthorn.api_key.created': 'was created',
  'posthorn.api_key.expiring': 'expires within 7 days',
}

export interface Digest {
  readonly subject: string
  readonly text: string
  readonly html: string
}

interface DigestOptions {
  readonly maxListed: number
  readonly unsubscribeUrl: string
}

/** One mail about notices, oldest first. */
export function digestOf(
  notices: readonly DigestedNotice[],
  { maxListed, unsubscribeUrl }: DigestOptions,
): Digest {
  const lines = notices.slice(0, maxListed).map(lineOf)
  const more = notices.length - lines.length
  const rest = more > 0 ? [`And ${more.toLocaleString('en')} more.`] : []
  const why = 'You get this mail because your address is entered in Posthorn for these notices.'
  return {
    subject: oneLine(subjectOf(notices), MAX_TEXT_LENGTH),
    text: [
      ...lines.map(({ sentence, link }) => (link ? `${sentence}\n${link}` : sentence)),
      ...rest,
      `--\n${why} To get none, open: ${unsubscribeUrl}`,
    ].join('\n\n'),
    html: `<!doctype html><html lang="en"><body style="font-family:sans-serif">${[
      ...lines.map(({ sentence, link }) =>
        link
          ? `<p>${escapeHtml(sentence)} <a href="${escapeHtml(link)}">Show</a></p>`
          : `<p>${escapeHtml(sentence)}</p>`,
      ),
      ...rest.map((line) => `<p>${line}</p>`),
      `<hr><p>${why} <a href="${escapeHtml(unsubscribeUrl)}">Unsubscribe</a></p>`,
    ].join('\n')}</body></html>`,
  }
}

/** Names what changed if it is one thing, else how many webhooks. */
function subjectOf(notices: readonly DigestedNotice[]): string {
  const hosts = new Set(notices.map(({ data }) => data.webhook?.host))
  const webhooks = new Set(notices.map(({ data }) => data.webhook?.id))
  const types = new Set(notices.map(({ type }) => type))
  const [host] = hosts
  const [type] = types
  if (hosts.size > 1) return `${notices.length} notices`
  if (host === undefined)
    return notices.length === 1
      ? lineOf(notices[0] as DigestedNotice).sentence
      : `${notices.length} notices about API keys`
  const subject =
    webhooks.size === 1 ? `The webhook at ${host}` : `${webhooks.size} webhooks at ${host}`
  if (types.size > 1 || type === undefined) return `${subject}: ${notices.length} notices`
  return webhooks.size === 1
    ? `${subject} ${WORDS[type]}`
    : `${subject}: ${type.replace('posthorn.', '')}`
}

/** What people and endpoints wrote is in one line, so that nothing in a mail looks like a text of Posthorn. */
function lineOf({ type, data }: DigestedNotice): { sentence: string; link: string | undefined } {
  const { organization, webhook, api_key: key, last_error: error, count, link } = data
  const text = (given: string) => oneLine(given, MAX_TEXT_LENGTH)
  const name = webhook?.description ?? webhook?.id ?? key?.name ?? key?.token_hint ?? ''
  const thing = webhook
    ? `The webhook ${text(name)} at ${text(webhook.host)}`
    : `The API key ${text(name)}`
  const number = count === undefined || count === 1 ? '' : ` (${count.toLocaleString('en')})`
  const last = error ? ` Last error: ${text(error)}` : ''
  return { sentence: `${text(organization.name)}: ${thing} ${WORDS[type]}${number}.${last}`, link }
}

const MAX_TEXT_LENGTH = 200

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
}

export const escapeHtml = (text: string) =>
  text.replace(/[&<>"]/g, (letter) => ENTITIES[letter] as string)
