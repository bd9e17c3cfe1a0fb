import { createGraphQLError } from 'graphql-yoga'
import { credentialOf } from '../../access/scope.ts'
import { type Context, callerOf } from '../../graphql/context.ts'
import { endOfStream } from '../../graphql/live-stream.ts'
import type { EndReason } from '../../live/stream.ts'
import type { Reader } from '../event-streams.ts'

export function readerOf(context: Context): Reader {
  const caller = callerOf(context)
  return {
    caller,
    actor: context.actor,
    signal: context.signal(),
    disconnect: context.cut ?? (() => {}),
    toError: (reason) => toError(reason, credentialOf(caller)),
  }
}

function toError(reason: EndReason, credential: string): Error {
  if (reason !== 'missed too much') return endOfStream(reason, credential)
  return createGraphQLError(
    'Events after this cursor are no longer kept (POSTHORN_RETENTION). Subscribe without `after`, and load what the client shows again.',
    { extensions: { code: 'RELOAD_REQUIRED' } },
  )
}
