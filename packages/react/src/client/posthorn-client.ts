import { failure, type PosthornError, type Result, unreachable } from './posthorn-error.ts'
import { readResponse } from './read-response.ts'
import { readStream, streamOf } from './read-stream.ts'
import { createTokenSource } from './token-source.ts'
import type { TypedDocument } from './typed-document.ts'

export interface PosthornOptions {
  /** The address of `/graphql`, such as `https://webhooks.example.com/graphql`. */
  readonly url: string
  /**
   * Asks your server for the token of a frontend session: `phs_…`. Called before the first request, and again when
   * Posthorn rejects the token, once for all requests that fail together. Throw an error if the user has signed out.
   */
  getToken(): string | Promise<string>
  /**
   * Whether to send the hashes of documents, for a server with POSTHORN_GRAPHQL_TRUSTED_DOCUMENTS. Those of this package
   * are in `@posthorn/react/documents.json`. Default: false.
   */
  readonly trustedDocuments?: boolean | undefined
}

/** Calls the GraphQL API with the token of the page. */
export interface PosthornClient {
  /** Sends a query or a mutation. */
  request<Data, Variables>(
    document: TypedDocument<Data, Variables>,
    variables: Variables,
    signal?: AbortSignal,
  ): Promise<Result<Data>>
  /** Reads one stream until it ends, and returns why. A stream does not reopen by itself. */
  subscribe<Data, Variables>(
    document: TypedDocument<Data, Variables>,
    variables: Variables,
    handlers: StreamHandlers<Data>,
  ): Promise<PosthornError>
  /** Calls `listener` after each change, so that it can read again. Returns a function that ends this. */
  onChange(listener: () => void): () => void
  /** Reports a change to all listeners. The hooks of this package do so by themselves. */
  reportChange(): void
}

export interface StreamHandlers<Data> {
  readonly signal: AbortSignal
  /** From now on the stream misses nothing. */
  onOpen(): void
  onData(data: Data): void
}

interface OpenStream {
  readonly events: ReadableStream<Uint8Array>
  readonly requested: Promise<string>
}

export function createPosthornClient({
  url,
  getToken,
  trustedDocuments = false,
}: PosthornOptions): PosthornClient {
  const tokens = createTokenSource(getToken)
  const listeners = new Set<() => void>()

  /** Calls with the token and, if Posthorn rejects the token, once more with another. */
  async function withToken<Value>(
    call: (token: string, requested: Promise<string>) => Promise<Result<Value>>,
  ): Promise<Result<Value>> {
    let requested = tokens.current()
    for (let isRenewed = false; ; isRenewed = true) {
      let token: string
      try {
        token = await requested
      } catch (error) {
        return failure('NO_TOKEN', error instanceof Error ? error.message : String(error))
      }
      const result = await call(token, requested)
      if (result.ok || result.error.code !== 'UNAUTHENTICATED' || isRenewed) return result
      requested = tokens.renew(requested)
    }
  }

  async function post(
    accept: string,
    token: string,
    document: AnyDocument,
    variables: unknown,
    signal: AbortSignal | undefined,
  ): Promise<Result<Response>> {
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { accept, authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          ...(trustedDocuments ? hashOf(document) : textOf(document)),
          variables,
        }),
        signal: signal ?? null,
      })
      return { ok: true, value: response }
    } catch (error) {
      return unreachable(error)
    }
  }

  return {
    request: (document, variables, signal) =>
      withToken(async (token) => {
        const accept = 'application/graphql-response+json, application/json'
        const sent = await post(accept, token, document, variables, signal)
        return sent.ok ? await readResponse(sent.value) : sent
      }),

    async subscribe(document, variables, { signal, onOpen, onData }) {
      const opened = await withToken(async (token, requested): Promise<Result<OpenStream>> => {
        const sent = await post('text/event-stream', token, document, variables, signal)
        const stream = sent.ok ? await streamOf(sent.value) : sent
        return stream.ok ? { ok: true, value: { events: stream.value, requested } } : stream
      })
      if (!opened.ok) return opened.error
      const { events, requested } = opened.value
      onOpen()
      const end = await readStream(events, onData)
      if (end.code !== 'UNAUTHENTICATED') return end
      // The session ended while the stream was open. Another token may continue.
      tokens.drop(requested)
      return { ...end, canRetry: true }
    },

    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    reportChange() {
      for (const listener of listeners) listener()
    },
  }
}

type AnyDocument = TypedDocument<unknown, never>

const textOf = (document: AnyDocument) => ({ query: document.toString() })

function hashOf(document: AnyDocument) {
  const sha256Hash = document.__meta__?.hash
  // Without a hash, the server says what to do.
  if (sha256Hash === undefined) return textOf(document)
  return { extensions: { persistedQuery: { version: 1, sha256Hash } } }
}
