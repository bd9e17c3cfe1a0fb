import pg from 'pg'
import type { Sql } from './client.ts'
import { openSession, type Session } from './session.ts'

export interface ListenHandlers {
  /** Runs on every new connection after `LISTEN`. If it throws, the session reconnects. */
  readonly onOpen: (session: Sql) => Promise<void>
  readonly onNotification: (payload: string) => void
  readonly onError: (error: unknown) => void
}

/** A dedicated connection that listens on a channel and reconnects when it breaks. */
export function openListenSession(url: string, channel: string, handlers: ListenHandlers): Session {
  return openSession(url, {
    ...handlers,
    name: 'live',
    async onOpen(session) {
      await session.query(`listen ${pg.escapeIdentifier(channel)}`)
      await handlers.onOpen(session)
    },
  })
}
