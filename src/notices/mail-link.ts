import type { DigestedNotice } from './digest.ts'

interface MailLinkOptions {
  readonly publicUrl: string
  /** Whether the address is an operator's. */
  readonly isOperator: boolean
  /** The page of the host application that shows the portal. Null: the console. */
  readonly portalPageUrl: string | null
}

/**
 * Where a notice in a mail leads. An operator acts for the organization of the notice. The page of the host application
 * signs its user in, so no link carries a session; `<posthorn-portal>` opens at the path in the fragment.
 */
export function mailLink(
  { organization, webhook, link }: DigestedNotice['data'],
  { publicUrl, isOperator, portalPageUrl }: MailLinkOptions,
): string | undefined {
  const path = webhook ? `/webhooks/${webhook.id}` : '/api-keys'
  if (isOperator) return `${publicUrl}/console/as/${organization.id}${path}`
  if (portalPageUrl === null) return link
  return webhook ? `${portalPageUrl}#posthorn=${path}` : portalPageUrl
}
