import { z } from 'zod'
import type { Scope } from '../access/scope.ts'
import type { Answer, Data } from './answer.ts'
import type { Confirmations } from './confirmations.ts'
import type { Execute } from './execute.ts'
import { ToolError } from './tool-error.ts'

/** What a tool runs with. */
export interface ToolContext {
  readonly execute: Execute
  readonly confirmations: Confirmations
  /** The credential of the caller, and the organization that it acts for. A confirmation holds for both only. */
  readonly callerId: string
}

export interface Tool {
  readonly name: string
  readonly title: string
  readonly description: string
  /** The scopes that it needs, all of them. */
  readonly scopes: readonly Scope[]
  /** The sessions that it serves: those of all webhooks, of one webhook too, or of one delivery too. */
  readonly reach: 'organization' | 'webhook' | 'delivery'
  /** Null: it changes nothing. */
  readonly changes: Changes | null
  readonly input: z.ZodObject
  readonly output: z.ZodObject
  run(args: never, context: ToolContext): Promise<Answer>
}

interface Changes {
  /** Whether it ends something that cannot be started again as it was. */
  readonly isDestructive: boolean
  /** Whether a repeated call changes nothing more. */
  readonly isIdempotent: boolean
}

interface ReadTool<Input extends z.ZodObject> extends Omit<Tool, 'changes' | 'run' | 'input'> {
  readonly input: Input
  run(args: z.output<Input>, context: ToolContext): Promise<Answer>
}

/** A tool that changes nothing. */
export function readTool<Input extends z.ZodObject>(tool: ReadTool<Input>): Tool {
  return { ...tool, changes: null }
}

interface WriteTool<Input extends z.ZodObject>
  extends Omit<Tool, 'changes' | 'run' | 'input' | 'output'>,
    Changes {
  readonly input: Input
  /** Tells what `perform` would do. Throws if it could do nothing. */
  preview(args: z.output<Input>, context: ToolContext): Promise<Outcome>
  perform(args: z.output<Input>, context: ToolContext): Promise<Outcome>
}

/** A sentence and its facts, without text of partners. A `count` among the facts is how many things change. */
export interface Outcome {
  readonly summary: string
  readonly data: Data
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

const OUTCOME = z.object({
  done: z.boolean().describe('Whether anything was changed. False: only told what would be.'),
  facts: z.record(z.string(), z.unknown()),
  confirm: z.string().optional().describe('The confirmation for the second call.'),
  confirm_until: z.string().optional().describe('When the confirmation ends.'),
})

/** A tool that changes something with its second call only, which carries the confirmation of the first. */
export function writeTool<Input extends z.ZodObject>(tool: WriteTool<Input>): Tool {
  const { isDestructive, isIdempotent, preview, perform, ...rest } = tool
  return {
    ...rest,
    changes: { isDestructive, isIdempotent },
    input: tool.input.extend(CONFIRM),
    output: OUTCOME,
    async run(given: z.output<Input> & { readonly confirm?: string }, context: ToolContext) {
      const { confirm, ...args } = given
      const subject = [tool.name, context.callerId, Object.entries(args).toSorted()]
      if (confirm === undefined) {
        const { summary, data } = await preview(args as never, context)
        const confirmation = context.confirmations.issue(subject, countOf(data))
        return answerOf(`${summary} Nothing was changed yet.`, {
          done: false,
          facts: data,
          ...confirmation,
        })
      }
      const confirmed = context.confirmations.read(confirm, subject)
      if (confirmed === null) throw new ToolError(NOT_CONFIRMED)
      if (confirmed.count !== null) {
        const { data } = await preview(args as never, context)
        const count = countOf(data) ?? 0
        if (count > confirmed.count) throw new ToolError(moreThan(confirmed.count, count))
      }
      if (!(await context.confirmations.spend(confirmed))) throw new ToolError(USED)
      const { summary, data } = await perform(args as never, context)
      return answerOf(summary, { done: true, facts: data })
    },
  }
}

const NOT_CONFIRMED =
  'The confirmation has ended, or belongs to other arguments. Nothing was changed. Call the tool without confirm, read what it would do, and call it again with the new confirmation and the same arguments.'

const USED =
  'This confirmation was used before. Nothing was changed. Call the tool without confirm to do it again, read what it would do, and call it with the new confirmation.'

const moreThan = (confirmed: number, count: number) =>
  `The confirmation is for ${confirmed} deliveries, and now there are ${count}. Nothing was changed. Call the tool without confirm, and call it again with the new confirmation.`

function countOf({ count }: Data): number | null {
  return typeof count === 'number' ? count : null
}

function answerOf(summary: string, data: Data): Answer {
  return { summary, build: () => data }
}
