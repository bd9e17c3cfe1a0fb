import { useState } from 'react'
import { type TypedDocumentNode, useClient } from 'urql'
import { problemOf } from './problem.ts'

/** One rule of the input that was broken, and where: `['headers', '0', 'name']`. */
export interface Issue {
  readonly path: readonly string[]
  readonly message: string
}

/** What became of a mutation: the type of its result says which it is. */
export type Outcome<Success> =
  | { readonly ok: true; readonly value: Success }
  | { readonly ok: false; readonly message: string; readonly issues: readonly Issue[] }

type Result = { __typename?: string } | null | undefined
type SuccessOf<Union> = Extract<Union, { __typename?: `${string}Success` }>

/**
 * Runs a mutation whose one field answers with a union of a success and errors, and tells them apart. `running` is for
 * the button that asked for it.
 */
export function useAction<Data extends object, Variables extends object>(
  document: TypedDocumentNode<Data, Variables>,
) {
  type Union = Data[Exclude<keyof Data, '__typename'>]
  const client = useClient()
  const [running, setRunning] = useState(false)

  async function run(variables: Variables): Promise<Outcome<SuccessOf<Union>>> {
    setRunning(true)
    const { data, error } = await client.mutation(document, variables as never).toPromise()
    setRunning(false)
    if (error) return { ok: false, message: problemOf(error).message, issues: [] }
    const [result] = Object.values(data ?? {}) as Result[]
    if (result?.__typename?.endsWith('Success')) {
      return { ok: true, value: result as SuccessOf<Union> }
    }
    const { message = 'Nothing was done.', issues = [] } = (result ?? {}) as {
      message?: string
      issues?: Issue[]
    }
    return { ok: false, message, issues }
  }

  return { run, running }
}
