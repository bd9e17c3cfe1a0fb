import type { McpRejectionFragment } from './generated/graphql.ts'
import { ToolError } from './tool-error.ts'

type Rejection = Extract<McpRejectionFragment, { readonly message: string }>

/** The success of a mutation. Throws its rejection. */
export function accepted<Result extends object>(
  result: Result | null | undefined,
): Exclude<Result, Rejection> {
  if (result == null) throw new ToolError('The server gave no answer. Try again.')
  if ('message' in result && 'code' in result) {
    const { code, message } = result as unknown as Rejection
    // The message can repeat a URL or a name.
    throw new ToolError(`The request was rejected as ${code}. Nothing was changed.`, message)
  }
  return result as Exclude<Result, Rejection>
}
