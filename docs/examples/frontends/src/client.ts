import type { TypedDocumentString } from './graphql/graphql'

declare const token: string

/** Throws if the response has errors, so that no null stands for an error. */
export async function request<Data, Variables>(
  document: TypedDocumentString<Data, Variables>,
  variables: Variables,
): Promise<Data> {
  const response = await fetch('https://webhooks.example.com/graphql', {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query: document.toString(), variables }),
  })
  const { data, errors } = await response.json()
  if (errors) throw new Error(errors[0].message)
  return data
}
