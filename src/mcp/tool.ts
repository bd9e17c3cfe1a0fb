import { z } from 'zod'
import type { Scope } from '../access/scope.ts'
import type { Confirmations } from './confirmations.ts'
import type { Data, Execute, Operation } from './execute.ts'
import { ToolError } from './tool-error.ts'

/** What a tool runs with. */
export interface ToolContext {
  readonly execute: Execute
  readonly confirmations: Confirmations
  /** The key of the caller, and the organization that it acts for. A confirmation holds for both only. */
  readonly callerId: string
}

export interface Tool {
  readonly name: string
  readonly title: string
  readonly description: string
  /** The scopes that it needs, all of them. */
  readonly scopes: readonly Scope[]
  readonly changes: boolean
  readonly input: z.ZodObject
  run(args: never, context: ToolContext): Promise<Data>
}

interface Definition<Input extends z.ZodObject> extends Omit<Tool, 'changes' | 'input' | 'run'> {
  readonly input: Input
  /** What the tool answers. For a tool that changes something: what it would change. */
  read(args: z.output<Input>): Operation
}

interface WriteDefinition<Input extends z.ZodObject> extends Definition<Input> {
  change(args: z.output<Input>): Operation
}

/** A tool that changes nothing. */
export function readTool<Input extends z.ZodObject>(definition: Definition<Input>): Tool {
  const { read, ...rest } = definition
  return {
    ...rest,
    changes: false,
    run: (args: z.output<Input>, { execute }: ToolContext) => execute(read(args)),
  }
}

const CONFIRM = {
  confirm: z
    .string()
    .max(1_000)
    .optional()
    .describe(
      'Omit it at first: the tool then only tells what it would do, and returns a confirmation. Call it again with the same arguments and this confirmation to do it.',
    ),
}

/** A tool that changes something with its second call only, which carries the confirmation of the first. */
export function writeTool<Input extends z.ZodObject>(definition: WriteDefinition<Input>): Tool {
  const { read, change, ...rest } = definition
  return {
    ...rest,
    changes: true,
    input: definition.input.extend(CONFIRM),
    async run(given: z.output<Input> & { readonly confirm?: string }, context: ToolContext) {
      const { confirm, ...rest } = given
      const args = rest as unknown as z.output<Input>
      const subject = [definition.name, context.callerId, Object.entries(args).toSorted()]
      if (confirm === undefined) {
        const would = await resultOf(read(args), context)
        return { done: false, would, ...context.confirmations.issue(subject, countOf(would)) }
      }
      const confirmed = context.confirmations.read(confirm, subject)
      if (confirmed === null) throw new ToolError(NOT_CONFIRMED)
      if (confirmed.count !== null) {
        const count = countOf(await resultOf(read(args), context)) ?? 0
        if (count > confirmed.count) throw new ToolError(moreThan(confirmed.count, count))
      }
      if (!(await context.confirmations.spend(confirmed))) throw new ToolError(USED)
      return { done: true, result: await resultOf(change(args), context) }
    },
  }
}

const NOT_CONFIRMED =
  'The confirmation has ended, or belongs to other arguments. Nothing was changed. Call the tool without confirm, read what it would do, and call it again with the new confirmation and the same arguments.'

const USED =
  'This confirmation was used before. Nothing was changed. Call the tool without confirm to do it again, read what it would do, and call it with the new confirmation.'

const moreThan = (confirmed: number, count: number) =>
  `The confirmation is for this number of deliveries: ${confirmed}. Now there are ${count}. Nothing was changed. Call the tool without confirm, and call it again with the new confirmation.`

/** The `result` of an operation. Throws its rejection. */
async function resultOf(operation: Operation, { execute }: ToolContext): Promise<Data> {
  const result = (await execute(operation))['result'] as Data | null
  if (result === null) throw new ToolError('Nothing has this id. Nothing was changed.')
  const { code, message, issues } = result
  if (typeof code !== 'string') return result
  // The message can repeat a URL or a name.
  throw new ToolError(`The request was rejected as ${code}. Nothing was changed.`, {
    message,
    issues,
  })
}

function countOf({ count }: Data): number | null {
  return typeof count === 'number' ? count : null
}
