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
import type { RequestMemory } from '../../http/connection.ts'
import { rejectLoneSurrogates } from '../../lib/lone-surrogates.ts'
import type { PullRequest } from '../consumers/pull-events.ts'
import type { EventStreams } from '../event-streams.ts'
import { bytesOf } from '../stream-event.ts'
import { planEvents, planningOf } from './event-plan.ts'
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
  // One after the other, as mutations must be.
  for (const selection of operation.fields) {
    const value = await printField(streams, context, operation, selection, introspection, errors)
    members.push(`${JSON.stringify(selection.key)}:${value}`)
  }
  return printedResult(`{${members.join(',')}}`, errors)
}

async function printField(
  streams: EventStreams,
  context: Context,
  operation: Operation,
  selection: RootSelection,
  { data }: ExecutionResult,
  errors: GraphQLError[],
): Promise<string> {
  const { key, nodes, field, name } = selection
  if (name === '__typename') return JSON.stringify(operation.rootType.name)
  if (field === null) return JSON.stringify(data?.[key] ?? null)
  try {
    return await resolve(streams, context, operation, selection)
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
): Promise<string> {
  const args = readArgs()
  if (context.checkSurrogates) rejectLoneSurrogates(args)
  const reader = readerOf(context)
  switch (name) {
    case 'event': {
      const print = planEvents(scope, nodes)
      const uuid = parseId('event', String(args['id']))
      const event = uuid && (await streams.find(reader, uuid))
      return event ? print(event) : 'null'
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
      const printers = new Map(
        members
          .filter((member) => member.name === 'events')
          .map((member) => [member.key, planEvents(scope, member.nodes)]),
      )
      const pulled = await streams.pull(reader, args as unknown as PullRequest)
      const { memory } = context as { readonly memory?: RequestMemory }
      memory?.resize('response', sum(pulled.events.map(bytesOf)))
      const print = (key: string, field: string | undefined): string => {
        const printEvent = printers.get(key)
        if (printEvent) return `[${pulled.events.map(printEvent).join(',')}]`
        if (field === '__typename') return '"PulledEvents"'
        return JSON.stringify(field === 'lease' ? pulled.lease : pulled.expiresAt)
      }
      return `{${members.map(({ key, name: field }) => `${JSON.stringify(key)}:${print(key, field)}`).join(',')}}`
    }
    case 'acknowledgeEvents': {
      const { consumer, lease } = args as { consumer: string; lease: string }
      return String(await streams.acknowledge(reader, consumer, lease))
    }
    default:
      throw new Error(`There is no resolver of ${name}.`)
  }
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
