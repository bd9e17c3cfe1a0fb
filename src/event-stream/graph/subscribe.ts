import {
  type ExecutionArgs,
  type ExecutionResult,
  GraphQLError,
  type GraphQLSchema,
  locatedError,
  validate,
} from 'graphql'
import type { Context } from '../../graphql/context.ts'
import { rejectLoneSurrogates } from '../../lib/lone-surrogates.ts'
import type { EventStreams, StreamRequest } from '../event-streams.ts'
import type { StreamEvent } from '../stream-event.ts'
import { type PrintEvent, planEvents } from './event-plan.ts'
import { type Operation, readOperation } from './operation.ts'
import { type PrintedResult, printedResult } from './printed-result.ts'
import { readerOf } from './reader.ts'

/** The graph of events as the catalogue is now. */
export type CurrentSchema = () => Promise<GraphQLSchema>

/** Opens `Subscription.events`. Each event is printed as the document selects, and as the catalogue is by then. */
export async function subscribe(
  streams: EventStreams,
  args: ExecutionArgs,
  currentSchema: CurrentSchema,
): Promise<AsyncIterableIterator<ExecutionResult> | ExecutionResult> {
  const operation = readOperation(args)
  if (!('fields' in operation)) return { errors: operation }
  const [selection] = operation.fields
  if (!selection?.field) return { errors: [new GraphQLError('Subscribe to `events`.')] }
  const { key, nodes } = selection
  try {
    const context = args.contextValue as Context
    const request = selection.args() as StreamRequest
    if (context.checkSurrogates) rejectLoneSurrogates(request)
    const reader = readerOf(context)
    const { organizationId } = reader.caller
    const printer = createPrinter(args, operation, currentSchema, organizationId)
    const events = await streams.subscribe(reader, request)
    return print(events, async (event) => {
      try {
        const print = await printer()
        return printedResult(`{${JSON.stringify(key)}:${await print(event)}}`)
      } catch (error) {
        return printedResult(`{${JSON.stringify(key)}:null}`, [
          locatedError(error, [...nodes], [key]),
        ])
      }
    })
  } catch (error) {
    return { errors: [locatedError(error, [...nodes], [key])] }
  }
}

/** A subscription outlives catalogues. A document that a later one does not allow means what it meant. */
function createPrinter(
  args: ExecutionArgs,
  { scope, fields }: Operation,
  currentSchema: CurrentSchema,
  organizationId: string,
): () => Promise<PrintEvent> {
  const nodes = fields[0]?.nodes ?? []
  let schema = scope.schema
  let print = planEvents(scope, nodes, organizationId)
  return async () => {
    const current = await currentSchema().catch(() => schema)
    if (current !== schema) {
      schema = current
      const isValid = validate(current, args.document, undefined, { maxErrors: 1 }).length === 0
      if (isValid) print = planEvents({ ...scope, schema: current }, nodes, organizationId)
    }
    return print
  }
}

function print(
  events: AsyncIterableIterator<StreamEvent>,
  toResult: (event: StreamEvent) => Promise<PrintedResult>,
): AsyncIterableIterator<ExecutionResult> {
  return {
    async next() {
      const { value, done } = await events.next()
      return done ? { done: true, value: undefined } : { done: false, value: await toResult(value) }
    },
    async return() {
      await events.return?.()
      return { done: true, value: undefined }
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }
}
