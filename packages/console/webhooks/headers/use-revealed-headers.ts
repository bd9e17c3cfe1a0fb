import { useState } from 'react'
import { useAction } from '../../api/use-action.ts'
import { notifyError } from '../../components/notify.ts'
import { WebhookRevealHeadersDocument } from '../../generated/graphql.ts'

/** The values of headers by name. */
export type HeaderValues = ReadonlyMap<string, string>

/** Requests the header values of a webhook when the reader asks for them. The audit log has each request. */
export function useRevealedHeaders(webhookId: string) {
  const { run, running } = useAction(WebhookRevealHeadersDocument)
  const [values, setValues] = useState<HeaderValues | null>(null)

  async function reveal(): Promise<HeaderValues | null> {
    const outcome = await run({ id: webhookId })
    if (!outcome.ok) {
      notifyError(outcome.message)
      return null
    }
    const revealed = new Map(outcome.value.headers.map(({ name, value }) => [name, value]))
    setValues(revealed)
    return revealed
  }

  return { values, reveal, running, hide: () => setValues(null) }
}

/** In place of a header value. Its length tells nothing about the value. */
export const MASK = '••••••••'
