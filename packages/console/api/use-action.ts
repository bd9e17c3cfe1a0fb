import { useState } from 'react'
import { type OperationContext, type TypedDocumentNode, useClient } from 'urql'
import { t } from '../language/t.ts'
import { describeError } from './request-error.ts'

/** An input rule that was violated, and its path: `['headers', '0', 'name']`. */
export interface Issue {
  readonly path: readonly string[]
  readonly message: string
}

/** Why the server rejected a mutation. */
export interface Rejection {
  readonly message: string
  readonly issues: readonly Issue[]
  /** What somebody else changed in the meantime. */
  readonly conflict?: EditConflict
}

/** The last change of somebody else, and the revision that has their changes. */
export interface EditConflict {
  readonly revision: number
  readonly changedAt: string | null
  readonly changedBy: string | null
}

export type Outcome<Success> =
  | { readonly ok: true; readonly value: Success }
  | ({ readonly ok: false } & Rejection)

type Result = { __typename?: string } | null | undefined
type SuccessOf<Union> = Extract<Union, { __typename?: `${string}Success` }>

/**
 * Runs a mutation whose only field returns a union of one success type and several errors. `running` is for the
 * loading state of its button.
 */
export function useAction<Data extends object, Variables extends object>(
  document: TypedDocumentNode<Data, Variables>,
) {
  type Union = Data[Exclude<keyof Data, '__typename'>]
  const client = useClient()
  const [running, setRunning] = useState(false)

  async function run(
    variables: Variables,
    context: Partial<OperationContext> = {},
  ): Promise<Outcome<SuccessOf<Union>>> {
    setRunning(true)
    const { data, error } = await client.mutation(document, variables as never, context).toPromise()
    setRunning(false)
    if (error) return { ok: false, message: describeError(error).message, issues: [] }
    const [result] = Object.values(data ?? {}) as Result[]
    if (result?.__typename?.endsWith('Success')) {
      return { ok: true, value: result as SuccessOf<Union> }
    }
    const rejected = (result ?? {}) as { message?: string; issues?: Issue[] }
    const { message = t('The action failed.'), issues = [] } = rejected
    if (result?.__typename !== 'EditConflictError') return { ok: false, message, issues }
    return { ok: false, message, issues, conflict: result as unknown as EditConflict }
  }

  return { run, running }
}
