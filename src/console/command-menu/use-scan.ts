import { useEffect, useRef, useState } from 'react'
import { useClient } from 'urql'
import { dataOf } from '../api/data-of.ts'
import {
  CommandMenuScanDocument,
  type CommandMenuScanQuery,
  type CommandMenuScanQueryVariables,
} from '../generated/graphql.ts'
import { t } from '../language/t.ts'
import { formatCount, formatDateTime } from '../lib/format.ts'
import { useSession } from '../session/session.tsx'
import type { Command } from './command.ts'

/** A scan ends after this many events, or when it has found this many. */
const MAX_SCANNED = 10_000
const MAX_FOUND = 20

type Page = CommandMenuScanQuery['scanEvents']

interface Scan {
  readonly text: string
  readonly events: NonNullable<Page>['nodes']
  readonly count: number
  readonly to: string | null
  readonly isRunning: boolean
  readonly error: string | null
}

/** The scan of the last events for a text that no search key has: the command that starts it, and what it found. */
export function useScan(text: string) {
  const { can, webhookId } = useSession()
  const client = useClient()
  const [scan, setScan] = useState<Scan | null>(null)
  const wanted = useRef(text)
  useEffect(() => {
    wanted.current = text
    return () => {
      wanted.current = ''
    }
  }, [text])

  async function start() {
    let now: Scan = { text, events: [], count: 0, to: null, isRunning: true, error: null }
    setScan(now)
    let after: string | null | undefined = null
    while (now.isRunning) {
      const variables: CommandMenuScanQueryVariables = {
        contains: text,
        first: MAX_FOUND - now.events.length,
        after,
      }
      const result = await client
        .query(CommandMenuScanDocument, variables, { requestPolicy: 'network-only' })
        .toPromise()
      if (wanted.current !== text) return
      try {
        const page: Page = dataOf(result).scanEvents
        const events = [...now.events, ...(page?.nodes ?? [])]
        const count = now.count + (page?.scannedCount ?? 0)
        after = page?.pageInfo.endCursor
        const isRunning =
          page?.pageInfo.hasNextPage === true && count < MAX_SCANNED && events.length < MAX_FOUND
        now = { ...now, events, count, to: page?.scannedTo ?? now.to, isRunning }
      } catch (error) {
        now = { ...now, isRunning: false, error: (error as Error).message }
      }
      setScan(now)
    }
  }

  const isPossible = text.length > 0 && text.length <= 200 && can('events:read')
  if (!isPossible || webhookId !== null) return { commands: [], status: null }
  if (scan?.text !== text) {
    const label = t('Scan the last {max} events for “{text}”', {
      max: formatCount(MAX_SCANNED),
      text,
    })
    const command: Command = { id: 'scan', group: 'scan', label, run: start, stays: true }
    return { commands: [command], status: null }
  }
  return { commands: scan.events.map(openEvent), status: statusOf(scan) }
}

function openEvent(event: Scan['events'][number]): Command {
  const { id, type, publishedAt, preview } = event
  const label = `${type.name}, ${formatDateTime(publishedAt)}`
  return { id, group: 'scan', label, hint: preview ?? '', to: `/events/${id}` }
}

function statusOf({ events, count, to, isRunning, error }: Scan): string {
  if (error !== null) return error
  const read = t('{count, plural, one {# event} other {# events}}', { count })
  if (isRunning) return t('Scanning: {read} read.', { read })
  const found =
    events.length === 0 ? t('none has this text') : t('{count} found', { count: events.length })
  if (to === null) return t('{read} read: {found}.', { read, found })
  return t('{read} read, back to {time}: {found}.', { read, time: formatDateTime(to), found })
}
