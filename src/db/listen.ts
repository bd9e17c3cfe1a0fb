import pg from 'pg'
import type { Sql } from './client.ts'
import { openSession, type Session } from './session.ts'

export interface ListenHandlers {
  /** On every new connection, once it listens. When it throws, another connection is tried. */
  readonly onOpen: (session: Sql) => Promise<void>
  readonly onNotification: (payload: string) => void
  readonly onError: (error: unknown) => void
}

/** A connection of its own that listens on a channel, and is opened again whenever it breaks. */
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
