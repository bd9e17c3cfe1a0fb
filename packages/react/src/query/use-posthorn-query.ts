import { useEffect, useReducer, useState } from 'react'
import type { PosthornClient } from '../client/posthorn-client.ts'
import type { PosthornError } from '../client/posthorn-error.ts'
import { usePosthornClient } from '../client/posthorn-provider.tsx'
import type { TypedDocument } from '../client/typed-document.ts'

export interface Query<Data> {
  /** Null until the first answer. Kept while `reload` runs, and when it fails. */
  readonly data: Data | null
  /** Why the last call failed. Null if it succeeded. */
  readonly error: PosthornError | null
  readonly isLoading: boolean
  reload(): void
}

export interface QueryOptions {
  /** Sends nothing while true. Default: false. */
  readonly skip?: boolean
  /** While this stays the same, the data of the variables before remain until the new data arrive. Default: the variables. */
  readonly keepDataOf?: string
}

/** Reads a document of your own, with the token of the provider. Reads again after each change made with this package. */
export function usePosthornQuery<Data, Variables>(
  document: TypedDocument<Data, Variables>,
  variables: Variables,
  { skip = false, keepDataOf }: QueryOptions = {},
): Query<Data> {
  const client = usePosthornClient()
  const key = JSON.stringify(variables)
  const group = keepDataOf ?? key
  const [answer, setAnswer] = useState<Answer<Data> | null>(null)
  const [round, reload] = useReducer((count: number) => count + 1, 0)

  useEffect(() => client.onChange(reload), [client])

  useEffect(() => {
    if (skip) return
    const aborter = new AbortController()
    client.request(document, JSON.parse(key), aborter.signal).then((result) => {
      if (aborter.signal.aborted) return
      setAnswer((before) => ({
        client,
        document,
        key,
        group,
        round,
        data: result.ok ? result.value : dataOf(before, client, document, group),
        error: result.ok ? null : result.error,
      }))
    })
    return () => aborter.abort()
  }, [client, document, key, group, round, skip])

  const isAnswer = answer?.client === client && answer.document === document && answer.key === key
  return {
    data: dataOf(answer, client, document, group),
    error: isAnswer ? answer.error : null,
    isLoading: !skip && !(isAnswer && answer.round === round),
    reload,
  }
}

interface Answer<Data> {
  readonly client: PosthornClient
  readonly document: unknown
  readonly key: string
  readonly group: string
  readonly round: number
  readonly data: Data | null
  readonly error: PosthornError | null
}

function dataOf<Data>(
  answer: Answer<Data> | null,
  client: PosthornClient,
  document: unknown,
  group: string,
): Data | null {
  const fits = answer?.client === client && answer.document === document && answer.group === group
  return fits ? answer.data : null
}
