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

/** One mail about the notices of a host, oldest first; those about API keys have no host. */
export function digestOf(
  host: string,
  notices: readonly DigestedNotice[],
  { maxListed, unsubscribeUrl }: DigestOptions,
): Digest {
  const lines = notices.slice(0, maxListed).map(lineOf)
  const more = notices.length - lines.length
  const rest = more > 0 ? [`And ${more.toLocaleString('en')} more.`] : []
  const why = 'You get this mail because your address is entered in Posthorn for these notices.'
  return {
    subject: subjectOf(host, notices),
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
function subjectOf(host: string, notices: readonly DigestedNotice[]): string {
  const webhooks = new Set(notices.map(({ data }) => data.webhook?.id))
  const types = new Set(notices.map(({ type }) => type))
  const [type] = types
  if (host === '')
    return notices.length === 1
      ? oneLine(lineOf(notices[0] as DigestedNotice).sentence)
      : `${notices.length} notices about API keys`
  const subject =
    webhooks.size === 1 ? `The webhook at ${host}` : `${webhooks.size} webhooks at ${host}`
  if (types.size > 1 || type === undefined) return `${subject}: ${notices.length} notices`
  return webhooks.size === 1
    ? `${subject} ${WORDS[type]}`
    : `${subject}: ${type.replace('posthorn.', '')}`
}

function lineOf({ type, data }: DigestedNotice): { sentence: string; link: string | undefined } {
  const { organization, webhook, api_key: key, last_error: error, count, link } = data
  const name = webhook?.description ?? webhook?.id ?? key?.name ?? key?.token_hint ?? ''
  const thing = webhook ? `The webhook ${name} at ${webhook.host}` : `The API key ${name}`
  const number = count === undefined || count === 1 ? '' : ` (${count.toLocaleString('en')})`
  const last = error ? ` Last error: ${error}` : ''
  return { sentence: `${organization.name}: ${thing} ${WORDS[type]}${number}.${last}`, link }
}

const oneLine = (text: string) => text.replace(/\s+/g, ' ').slice(0, 200)

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
}

const escapeHtml = (text: string) => text.replace(/[&<>"]/g, (letter) => ENTITIES[letter] as string)
