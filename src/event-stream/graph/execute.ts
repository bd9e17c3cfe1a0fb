import {
  type ExecutionArgs,
  type ExecutionResult,
  execute as executeIntrospection,
  type GraphQLError,
  locatedError,
} from 'graphql'
import { parseId } from '../../db/ids.ts'
import { collectFields } from '../../event-graph/plan-selection.ts'
import type { Context } from '../../graphql/context.ts'
import { MAX_RESPONSE_BYTES, responseTooLarge } from '../../graphql/limits/limit-exceeded.ts'
import type { InFlight } from '../../http/connection.ts'
import { rejectLoneSurrogates } from '../../lib/lone-surrogates.ts'
import type { PulledEvents, PullRequest } from '../consumers/pull-events.ts'
import type { EventStreams } from '../event-streams.ts'
import { bytesOf, type StreamEvent } from '../stream-event.ts'
import { newRepetitions, type PrintEvent, planEvents, planningOf } from './event-plan.ts'
import { type Operation, type RootSelection, readOperation } from './operation.ts'
import { printedResult } from './printed-result.ts'
import { readerOf } from './reader.ts'

/**
 * Executes a query or a mutation of the graph of events. Root fields make JSON: what a document selects of an event is
 * slices of the text that was published. `__schema` and `__type` are executed by `graphql`.
 */
export async function execute(
  streams: EventStreams,
  args: ExecutionArgs,
): Promise<ExecutionResult> {
  const operation = readOperation(args)
  if (!('fields' in operation)) return { errors: operation }
  const context = args.contextValue as Context
  const errors: GraphQLError[] = []
  const introspection = await introspect(args, operation)
  errors.push(...(introspection.errors ?? []))
  const members: string[] = []
  const answer = { charactersLeft: MAX_RESPONSE_BYTES }
  // One after the other, as mutations must be.
  for (const selection of operation.fields) {
    const value = await printField(
      streams,
      context,
      operation,
      selection,
      introspection,
      errors,
      answer,
    )
    members.push(`${JSON.stringify(selection.key)}:${value}`)
  }
  return printedResult(`{${members.join(',')}}`, errors)
}

/** What the answer to an operation may still have. */
interface Answer {
  charactersLeft: number
}

async function printField(
  streams: EventStreams,
  context: Context,
  operation: Operation,
  selection: RootSelection,
  { data }: ExecutionResult,
  errors: GraphQLError[],
  answer: Answer,
): Promise<string> {
  const { key, nodes, field, name } = selection
  if (name === '__typename') return JSON.stringify(operation.rootType.name)
  if (field === null) return JSON.stringify(data?.[key] ?? null)
  try {
    return await resolve(streams, context, operation, selection, answer)
  } catch (error) {
    errors.push(locatedError(error, [...nodes], [key]))
    return 'null'
  }
}

async function resolve(
  streams: EventStreams,
  context: Context,
  { scope }: Operation,
  { name, nodes, args: readArgs }: RootSelection,
  answer: Answer,
): Promise<string> {
  const args = readArgs()
  if (context.checkSurrogates) rejectLoneSurrogates(args)
  const reader = readerOf(context)
  const { organizationId } = reader.caller
  switch (name) {
    case 'event': {
      const print = planEvents(scope, nodes, organizationId)
      const uuid = parseId('event', String(args['id']))
      const event = uuid && (await streams.find(reader, uuid))
      return event ? await printInto(answer, print, event) : 'null'
    }
    case 'pullEvents': {
      const type = scope.schema.getType('PulledEvents')
      if (!type) throw new Error('The schema has no pulls.')
      const sets = nodes.flatMap(({ selectionSet }) => (selectionSet ? [selectionSet] : []))
      // Before the pull: a selection that is too large must not take events.
      const members = [...collectFields(planningOf(scope), type, sets)].map(
        ([key, [node, ...same]]) => ({
          key,
          name: node?.name.value,
          nodes: node ? [node, ...same] : [],
        }),
      )
      const repetitions = newRepetitions()
      const printers = new Map(
        members
          .filter((member) => member.name === 'events')
          .map(({ key, nodes: same }) => [
            key,
            planEvents(scope, same, organizationId, repetitions),
          ]),
      )
      const pulled = await streams.pull(reader, args as unknown as PullRequest)
      const { inFlight } = context as { readonly inFlight?: InFlight }
      inFlight?.resize('response', sum(pulled.events.map(bytesOf)))
      const printed: string[] = []
      for (const { key, name: field } of members) {
        const printEvent = printers.get(key)
        const value = printEvent
          ? await printList(answer, printEvent, pulled.events)
          : printFact(field, pulled)
        printed.push(`${JSON.stringify(key)}:${value}`)
      }
      return `{${printed.join(',')}}`
    }
    case 'acknowledgeEvents': {
      const { consumer, lease } = args as { consumer: string; lease: string }
      return String(await streams.acknowledge(reader, consumer, lease))
    }
    default:
      throw new Error(`There is no resolver of ${name}.`)
  }
}

async function printList(
  answer: Answer,
  print: PrintEvent,
  events: readonly StreamEvent[],
): Promise<string> {
  const printed: string[] = []
  for (const event of events) printed.push(await printInto(answer, print, event))
  return `[${printed.join(',')}]`
}

/** Stops at the bound of an answer, and not behind it. */
async function printInto(answer: Answer, print: PrintEvent, event: StreamEvent): Promise<string> {
  const text = await print(event)
  answer.charactersLeft -= text.length
  if (answer.charactersLeft < 0) throw responseTooLarge()
  return text
}

function printFact(field: string | undefined, { lease, expiresAt }: PulledEvents): string {
  if (field === '__typename') return '"PulledEvents"'
  return JSON.stringify(field === 'lease' ? lease : expiresAt)
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
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
