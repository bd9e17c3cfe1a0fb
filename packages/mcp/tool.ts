import { z } from 'zod'

/** Why a tool did nothing. The message says what to do, and has no text of partners. */
export class ToolError extends Error {
  override readonly name = 'ToolError'
  /** What the API says, which can repeat what partners wrote. */
  readonly detail: unknown

  constructor(message: string, detail: unknown = null) {
    super(message)
    this.detail = detail
  }
}

/** A document of the tools with its variables: a request to `/graphql`. */
export interface Operation {
  readonly query: string
  readonly variables: Readonly<Record<string, unknown>>
}

export type Data = Readonly<Record<string, unknown>>

export interface GraphqlResult {
  readonly data?: Data | null
  readonly errors?: readonly {
    readonly message: string
    readonly extensions?: { readonly code?: string }
  }[]
}

/** Sends an operation to `/graphql` with the rights of the caller. */
export type Send = (operation: Operation) => Promise<GraphqlResult>

export interface Tool {
  readonly name: string
  readonly title: string
  readonly description: string
  /** The scopes that it needs, all of them. */
  readonly scopes: readonly string[]
  readonly changes: boolean
  readonly input: z.ZodObject
  run(args: never, send: Send): Promise<Data>
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
    run: (args: z.output<Input>, send) => execute(read(args), send),
  }
}

const DRY_RUN = {
  dryRun: z
    .boolean()
    .default(true)
    .describe('True only tells what the tool would do. Give false once a person has agreed to it.'),
}

/** A tool that changes something, and only with `dryRun: false`. */
export function writeTool<Input extends z.ZodObject>(definition: WriteDefinition<Input>): Tool {
  const { read, change, ...rest } = definition
  return {
    ...rest,
    changes: true,
    input: definition.input.extend(DRY_RUN),
    async run({ dryRun, ...given }: z.output<Input> & { readonly dryRun: boolean }, send) {
      const args = given as unknown as z.output<Input>
      return dryRun
        ? { done: false, would: await resultOf(read(args), send) }
        : { done: true, result: await resultOf(change(args), send) }
    },
  }
}

/** Throws a `ToolError`. Fields that the caller may not read are null beside those that it may. */
async function execute(operation: Operation, send: Send): Promise<Data> {
  const { data, errors: [error, ...others] = [] } = await send(operation)
  if (!error) return data ?? {}
  const isPartial = Object.values(data ?? {}).some((value) => value !== null)
  const areForbidden = [error, ...others].every(
    ({ extensions }) => extensions?.code === 'FORBIDDEN',
  )
  if (data && isPartial && areForbidden) return data
  throw new ToolError(error.message)
}

/** The `result` of an operation. Throws its rejection. */
async function resultOf(operation: Operation, send: Send): Promise<Data> {
  const result = (await execute(operation, send))['result'] as Data | null
  if (result === null) throw new ToolError('Nothing has this id. Nothing was changed.')
  const { code, message, issues } = result
  if (typeof code !== 'string') return result
  // The message can repeat a URL or a name.
  throw new ToolError(`The request was rejected as ${code}. Nothing was changed.`, {
    message,
    issues,
  })
}
