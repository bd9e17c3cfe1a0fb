import { setTimeout as sleep } from 'node:timers/promises'
import { retryAfterMs } from '../../deliveries/attempts/retry-after.ts'
import { ServerError, sendRequest } from '../send-request.ts'

/** The API of a former sender, read only. */
export interface FormerApi {
  /** The JSON of an answer. Null for 404 and 410. Throws a `ServerError` without the token. */
  get(path: string, query?: Readonly<Record<string, string>>): Promise<unknown>
}

const TIMEOUT_MS = 30_000
const MAX_TRIES = 6
const FIRST_WAIT_MS = 500
const MAX_WAIT_MS = 60_000

/** Asks again after 429, 5xx, a lost connection and an answer that is cut short, and waits as `Retry-After` says. */
export function createFormerApi(url: string, token: string): FormerApi {
  const base = checkedUrl(url)
  checkToken(token)

  async function ask(path: string): Promise<Answer> {
    try {
      const response = await sendRequest(
        { url: base, key: token },
        {
          method: 'GET',
          path,
          headers: { accept: 'application/json' },
          signal: AbortSignal.timeout(TIMEOUT_MS),
        },
      )
      return await readAnswer(response)
    } catch {
      return { retry: true, problem: 'did not answer', waitMs: 0 }
    }
  }

  return {
    async get(path, query = {}) {
      const search = new URLSearchParams(query).toString()
      const target = `${path}${search && `?${search}`}`
      for (let tries = 1; ; tries++) {
        const answer = await ask(target)
        if ('value' in answer) return answer.value
        if (!answer.retry || tries === MAX_TRIES) {
          throw new ServerError(`GET ${base}${path} ${answer.problem}.`)
        }
        const waitMs = Math.max(answer.waitMs, FIRST_WAIT_MS * 2 ** (tries - 1))
        await sleep(Math.min(waitMs, MAX_WAIT_MS))
      }
    },
  }
}

type Answer =
  | { readonly value: unknown }
  | { readonly retry: boolean; readonly problem: string; readonly waitMs: number }

async function readAnswer(response: Response): Promise<Answer> {
  const { status, headers, ok } = response
  if (ok) return await readJson(response)
  await response.body?.cancel()
  if (status === 404 || status === 410) return { value: null }
  const retry = status === 429 || (status >= 500 && status !== 501)
  const waitMs = retryAfterMs(headers.get('retry-after'), new Date())
  return { retry, waitMs, problem: `answered with ${status}${REMEDIES[status] ?? ''}` }
}

async function readJson(response: Response): Promise<Answer> {
  const text = await response.text()
  try {
    return { value: JSON.parse(text) }
  } catch {
    return { retry: true, waitMs: 0, problem: 'answered with something else than JSON' }
  }
}

const REMEDIES: Readonly<Record<number, string>> = {
  401: ': give another token in --token-file',
  403: ': the token may not read this; give another one in --token-file',
  501: ': this server cannot list; name what to import',
}

/** A token goes over TLS, or to this machine. */
function checkedUrl(text: string): string {
  const url = URL.parse(text)
  const isLocal = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url?.hostname ?? '')
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && isLocal)) {
    return text.replace(/\/+$/, '')
  }
  throw new ServerError(`--url: ${JSON.stringify(text)} is not the https:// URL of an API.`)
}

/** Otherwise fetch would reject the header with a message that contains the token. */
function checkToken(token: string): void {
  if (/^[\x21-\x7e]+$/.test(token)) return
  throw new ServerError('--token-file: the token is empty, or has spaces or line breaks.')
}
