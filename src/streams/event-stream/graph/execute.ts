import {
  type ExecutionArgs,
  type ExecutionResult,
  execute as executeIntrospection,
  type FieldNode,
  GraphQLError,
  locatedError,
} from 'graphql'
import { createGraphQLError, type Plugin } from 'graphql-yoga'
import { credentialOf } from '../../../auth/access/scope.ts'
import {
  collectFields,
  newPlanning,
  planEvent,
  selectionSetsOf,
} from '../../../bodies/event-graph/plan-selection.ts'
import { selectEvent } from '../../../bodies/event-graph/select-event.ts'
import { parseId } from '../../../db/ids.ts'
import { type Context, callerOf } from '../../../graphql/context.ts'
import { endOfStream } from '../../../graphql/live-stream.ts'
import type { InFlight } from '../../../http/connection.ts'
import { inTurn } from '../../../lib/in-turn.ts'
import { MAX_STEPS, OverBudget, type WorkBudget } from '../../../lib/work-budget.ts'
import type { PullRequest } from '../consumers/pull-events.ts'
import { printCursor } from '../cursor.ts'
import type { EventStreams, Reader, StreamRequest } from '../event-streams.ts'
import { bytesOf, type StreamEvent } from '../read-stream.ts'
import { type Operation, type PlanScope, type RootSelection, readOperation } from './operation.ts'

/** Executes the operations of the graph of events. `__schema` and `__type` are executed by `graphql`. */
export function useEventExecutor(streams: EventStreams): Plugin {
  return {
    onExecute({ setExecuteFn }) {
      setExecuteFn((args: ExecutionArgs) => execute(streams, args))
    },
    onSubscribe({ setSubscribeFn }) {
      setSubscribeFn((args: ExecutionArgs) => subscribe(streams, args))
    },
  }
}

/** The events of one answer take as much work as two events may take. */
const MAX_STEPS_OF_ANSWER = 2 * MAX_STEPS

async function execute(streams: EventStreams, args: ExecutionArgs): Promise<ExecutionResult> {
  const operation = readOperation(args)
  if (!('fields' in operation)) return { errors: operation }
  const introspection = await introspect(args, operation)
  const errors: GraphQLError[] = [...(introspection.errors ?? [])]
  const budget = { left: MAX_STEPS_OF_ANSWER }
  const members: [string, unknown][] = []
  // One after the other, as mutations must be.
  for (const selection of operation.fields) {
    const { key, nodes, field, name } = selection
    if (name === '__typename') members.push([key, operation.rootType.name])
    else if (field === null) members.push([key, introspection.data?.[key] ?? null])
    else {
      const value = await resolve(streams, args, operation, selection, budget).catch((error) => {
        errors.push(locatedError(error, [...nodes], [key]))
        return null
      })
      members.push([key, value])
    }
  }
  return { data: Object.fromEntries(members), ...(errors.length > 0 && { errors }) }
}

async function resolve(
  streams: EventStreams,
  { contextValue }: ExecutionArgs,
  { scope }: Operation,
  { name, nodes, args: readArgs }: RootSelection,
  budget: WorkBudget,
): Promise<unknown> {
  const context = contextValue as Context
  const args = readArgs()
  const reader = readerOf(context)
  const { organizationId } = reader.caller
  switch (name) {
    case 'event': {
      const select = createSelect(scope, nodes, organizationId)
      const uuid = parseId('event', String(args['id']))
      const event = uuid && (await streams.find(reader, uuid))
      return event ? await select(event, budget) : null
    }
    case 'pullEvents': {
      const type = scope.schema.getType('PulledEvents')
      if (!type) throw new Error('The schema has no pulls.')
      const fields = [...collectFields(newPlanning(scope), type, selectionSetsOf(nodes))]
      // Before the pull: a selection that is too large must not take events.
      const selects = new Map(
        fields
          .filter(([, [node]]) => node?.name.value === 'events')
          .map(([key, same]) => [key, createSelect(scope, same, organizationId)]),
      )
      const pulled = await streams.pull(reader, args as unknown as PullRequest)
      const { inFlight } = context as { readonly inFlight?: InFlight }
      const bytes = pulled.events.reduce((sum, event) => sum + bytesOf(event), 0)
      inFlight?.resize('response', bytes)
      const facts = { ...pulled, __typename: 'PulledEvents' } as Readonly<Record<string, unknown>>
      const members: [string, unknown][] = []
      for (const [key, [node]] of fields) {
        const select = selects.get(key)
        if (!select) members.push([key, facts[node?.name.value ?? '']])
        else {
          const selected: object[] = []
          for (const event of pulled.events) selected.push(await select(event, budget))
          members.push([key, selected])
        }
      }
      return Object.fromEntries(members)
    }
    case 'acknowledgeEvents': {
      const { consumer, lease } = args as { consumer: string; lease: string }
      return await streams.acknowledge(reader, consumer, lease)
    }
    default:
      throw new Error(`There is no resolver of ${name}.`)
  }
}

/** Takes of an event what a field of the type `Event` selects. Throws a `GraphQLError` if the selection is too large. */
function createSelect(scope: PlanScope, nodes: readonly FieldNode[], organizationId: string) {
  const plan = planEvent(newPlanning(scope), selectionSetsOf(nodes))
  return async (event: StreamEvent, budget?: WorkBudget): Promise<object> => {
    try {
      const selected = { ...event, cursor: printCursor(event) }
      return await inTurn(organizationId, (left) => selectEvent(plan, selected, left), budget)
    } catch (error) {
      if (!(error instanceof OverBudget)) throw error
      throw new GraphQLError(error.message, { nodes, extensions: { code: 'LIMIT_EXCEEDED' } })
    }
  }
}

/** Runs the part of an operation that reads the schema. */
async function introspect(args: ExecutionArgs, operation: Operation): Promise<ExecutionResult> {
  const selected = operation.fields.filter(
    ({ field, name }) => field === null && name !== '__typename',
  )
  if (selected.length === 0) return {}
  const selections = selected.flatMap(({ nodes }) => nodes)
  const definition = {
    ...operation.definition,
    selectionSet: { ...operation.definition.selectionSet, selections },
  }
  const fragments = operation.scope.fragments.values()
  const document = { ...args.document, definitions: [definition, ...fragments] }
  return await executeIntrospection({ ...args, document })
}

/** Opens `Subscription.events`. The stream keeps the catalogue of its start, also when event types change. */
async function subscribe(
  streams: EventStreams,
  args: ExecutionArgs,
): Promise<AsyncIterableIterator<ExecutionResult> | ExecutionResult> {
  const operation = readOperation(args)
  if (!('fields' in operation)) return { errors: operation }
  const [selection] = operation.fields
  if (!selection?.field) return { errors: [new GraphQLError('Subscribe to `events`.')] }
  const { key, nodes } = selection
  const failed = (error: unknown) => locatedError(error, [...nodes], [key])
  try {
    const context = args.contextValue as Context
    const request = selection.args() as StreamRequest
    const reader = readerOf(context)
    const select = createSelect(operation.scope, nodes, reader.caller.organizationId)
    const events = await streams.subscribe(reader, request)
    const results: AsyncIterableIterator<ExecutionResult> = {
      async next() {
        const { value: event, done } = await events.next()
        if (done) return { done: true, value: undefined }
        const value = await select(event).then(
          (selected) => ({ data: { [key]: selected } }),
          (error) => ({ data: { [key]: null }, errors: [failed(error)] }),
        )
        return { done: false, value }
      },
      async return() {
        await events.return?.()
        return { done: true, value: undefined }
      },
      [Symbol.asyncIterator]() {
        return results
      },
    }
    return results
  } catch (error) {
    return { errors: [failed(error)] }
  }
}

function readerOf(context: Context): Reader {
  const caller = callerOf(context)
  return {
    caller,
    actor: context.actor,
    signal: context.signal(),
    disconnect: context.cut ?? (() => {}),
    toError: (reason) =>
      reason === 'missed too much' ? eventsAreGone() : endOfStream(reason, credentialOf(caller)),
  }
}

function eventsAreGone(): Error {
  return createGraphQLError(
    'Events after this cursor are no longer kept (POSTHORN_RETENTION). Subscribe without `after`, and load what the client shows again.',
    { extensions: { code: 'RELOAD_REQUIRED' } },
  )
}
