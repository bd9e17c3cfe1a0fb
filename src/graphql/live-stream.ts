import type { GraphQLResolveInfo } from 'graphql'
import { credentialOf } from '../auth/access/scope.ts'
import { requireId } from '../db/ids.ts'
import { notFound } from '../lib/errors.ts'
import { MAX_STREAMS_PER_KEY, type Subscriber } from '../streams/live/hub.ts'
import type { EndReason } from '../streams/live/news.ts'
import { inBatches, MAX_MISSED, type StreamItem, type Topic } from '../streams/live/stream.ts'
import type { Context } from './context.ts'
import type { ErrorCode } from './error-codes.ts'
import { rejection } from './mask-error.ts'

/** Which items of the caller's organization a subscription receives. */
export interface StreamOptions<Item> {
  readonly topic: Topic<Item>
  /** The public id of the only webhook to receive items of. Null: all. */
  readonly webhookId: string | null | undefined
  /** Since when to send what the client missed. Null: the stream begins now. */
  readonly after?: Date | null
}

/** Opens a subscription. Once the promise resolves, the stream misses nothing. */
export async function openStream<Item>(
  context: Context,
  { topic, webhookId: givenId, after = null }: StreamOptions<Item>,
): Promise<AsyncIterable<StreamItem<Item>>> {
  const { sql, live } = context
  const { organizationId } = context.caller
  const webhookId = givenId == null ? null : await webhookOf(context, organizationId, givenId)
  const subscriber = subscriberOf(context)
  return await live.open(subscriber, 'notifications', async (news) => {
    const pages = await topic({ sql, news, organizationId, webhookId }, after)
    if (pages === null) throw subscriber.toError('missed too much')
    return news.stream(inBatches(pages))
  })
}

export function subscriberOf(context: Context): Subscriber {
  const { caller } = context
  return {
    caller,
    toError: (reason) => endOfStream(reason, credentialOf(caller)),
    disconnect: context.cut ?? (() => {}),
  }
}

const reads = new WeakMap<readonly unknown[], Map<string | number, Promise<unknown>>>()

/**
 * Loads the rows for all items of a batch with one read, although the items are resolved one by one. Reads are cached by
 * response key, because two aliases of a field have different selections.
 */
export function readOnce<Item, Rows>(
  { batch }: StreamItem<Item>,
  { path }: GraphQLResolveInfo,
  read: (batch: readonly Item[]) => Promise<Rows>,
): Promise<Rows> {
  const ofBatch = reads.get(batch) ?? new Map<string | number, Promise<unknown>>()
  reads.set(batch, ofBatch)
  const known = ofBatch.get(path.key) ?? read(batch)
  ofBatch.set(path.key, known)
  return known as Promise<Rows>
}

async function webhookOf(context: Context, organizationId: string, id: string): Promise<string> {
  const uuid = requireId('webhook', id, ['webhookId'])
  const count = await context.prisma.webhook.count({
    where: { id: uuid, organizationId, deletedAt: null },
  })
  if (count === 0) throw notFound('webhook', id)
  return uuid
}

/** `%` stands for the credential of the caller. */
const ENDS: Readonly<Record<EndReason, readonly [code: ErrorCode, message: string]>> = {
  'missed too much': [
    'RELOAD_REQUIRED',
    `More than ${MAX_MISSED.toLocaleString('en')} attempts and cancellations were recorded since. Subscribe without \`after\`, then query the lists again.`,
  ],
  'events are gone': [
    'RELOAD_REQUIRED',
    'Events after this cursor are no longer kept (POSTHORN_RETENTION). Subscribe without `after`, and load what the client shows again.',
  ],
  revoked: ['UNAUTHENTICATED', 'The % was revoked.'],
  expired: ['UNAUTHENTICATED', 'The % has expired.'],
  'signed out': ['UNAUTHENTICATED', 'Your session has ended. Sign in again.'],
  'shutting down': ['UNAVAILABLE', 'This process is shutting down. Subscribe again.'],
  'too many': [
    'TOO_MANY_SUBSCRIPTIONS',
    `The % already has ${MAX_STREAMS_PER_KEY} open subscriptions. Close one.`,
  ],
}

/** The error that ends a stream of a caller with this credential. */
function endOfStream(reason: EndReason, credential: string): Error {
  const [code, message] = ENDS[reason]
  return rejection(code, message.replace('%', credential))
}
