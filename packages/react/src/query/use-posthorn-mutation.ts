import { useCallback, useState } from 'react'
import {
  type ChangedField,
  failure,
  type Issue,
  type PosthornError,
  type Result,
} from '../client/posthorn-error.ts'
import { usePosthornClient } from '../client/posthorn-provider.tsx'
import type { TypedDocument } from '../client/typed-document.ts'
import { useIsMounted } from './use-is-mounted.ts'

/** A change that a page can make. */
export interface Action<Arguments extends readonly unknown[], Value> {
  /** Makes the change. Never throws. */
  run(...values: Arguments): Promise<Result<Value>>
  readonly isRunning: boolean
  /** Why the last run failed. Null if it succeeded. */
  readonly error: PosthornError | null
}

/**
 * Runs a mutation of your own, whose only field returns a union of one success and of errors. A run continues when the
 * component unmounts, because the server may have made the change already; its outcome is then no longer shown.
 */
export function usePosthornMutation<Data extends object, Variables>(
  document: TypedDocument<Data, Variables>,
): Action<[variables: Variables], SuccessOf<Data[keyof Data]>> {
  const client = usePosthornClient()
  const [running, setRunning] = useState(0)
  const [error, setError] = useState<PosthornError | null>(null)
  const isMounted = useIsMounted()

  const run = useCallback(
    async (variables: Variables) => {
      setRunning((count) => count + 1)
      const outcome = outcomeOf<Data>(await client.request(document, variables))
      if (isMounted.current) {
        setRunning((count) => count - 1)
        setError(outcome.ok ? null : outcome.error)
      }
      if (outcome.ok) client.reportChange()
      return outcome
    },
    [client, document, isMounted],
  )
  return { run, isRunning: running > 0, error }
}

type SuccessOf<Union> = Extract<Union, { __typename: `${string}Success` }>

interface Payload {
  readonly __typename?: string
  readonly code?: string
  readonly message?: string
  readonly issues?: readonly Issue[]
  /** With `fields`: of an `EditConflictError`. */
  readonly revision?: number
  readonly fields?: readonly ChangedField[]
}

function outcomeOf<Data extends object>(result: Result<Data>): Result<SuccessOf<Data[keyof Data]>> {
  if (!result.ok) return result
  const [payload] = Object.values(result.value) as (Payload | null)[]
  if (payload?.__typename?.endsWith('Success')) {
    return { ok: true, value: payload as SuccessOf<Data[keyof Data]> }
  }
  const {
    code = '',
    message = 'Posthorn did not say what came of the change.',
    issues,
    revision,
    fields,
  } = payload ?? {}
  const failed = failure(CODES[code] ?? 'INTERNAL', message, issues)
  if (revision === undefined || fields === undefined) return failed
  return { ok: false, error: { ...failed.error, conflict: { revision, fields } } }
}

/** The codes of errors that mutations return as data, as the codes of thrown errors. */
const CODES: Readonly<Record<string, string>> = {
  conflict: 'CONFLICT',
  invalid: 'BAD_USER_INPUT',
  not_found: 'NOT_FOUND',
}
