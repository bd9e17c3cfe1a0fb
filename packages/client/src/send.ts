import { PosthornError } from './posthorn-error.ts'
import { type Answer, errorOf, isTemporary } from './read-answer.ts'
import type { PostRequest } from './request.ts'
import { delayMs } from './retry-delay.ts'

/** A try without an answer ends after this time, and the next one begins. */
const TRY_TIMEOUT_MS = 10_000

interface Limits {
  readonly signal: AbortSignal | undefined
  readonly timeoutMs: number
  /** Whether there is one try, which may take all of the time. */
  readonly isOnce: boolean
}

/** Sends a request until an answer is final. Throws a `PosthornError` when the time is up. */
export async function sendUntilAnswered(
  request: PostRequest,
  { signal, timeoutMs, isOnce }: Limits,
): Promise<Answer> {
  const startedAt = performance.now()
  const remainingMs = () => startedAt + timeoutMs - performance.now()
  let failure: PosthornError | undefined
  for (let tries = 1; ; tries++) {
    signal?.throwIfAborted()
    const limitMs = tries === 1 && timeoutMs === 0 ? TRY_TIMEOUT_MS : remainingMs()
    const tryMs = isOnce ? limitMs : Math.min(limitMs, TRY_TIMEOUT_MS)
    const answer = await send(request, tryMs, signal)
    if (!(answer instanceof PosthornError) && !isTemporary(answer.status)) return answer
    const latest = answer instanceof PosthornError ? answer : errorOf(answer)
    // A try that Posthorn may have acted on counts more than a later one that it did not get.
    failure = failure && !latest.mayHaveActed ? failure : latest
    if (isOnce || timeoutMs === 0) throw failure
    const waitMs = delayMs(
      tries,
      answer instanceof PosthornError ? null : answer.headers.get('retry-after'),
    )
    if (waitMs >= remainingMs()) throw timeIsUp(failure, tries)
    await sleep(waitMs, signal)
  }
}

/** Returns the answer, or why there is none. Throws the reason of the signal. */
async function send(
  { url, headers, body }: PostRequest,
  limitMs: number,
  signal: AbortSignal | undefined,
): Promise<Answer | PosthornError> {
  // Not AbortSignal.any(), whose listeners stay on a signal that lives long.
  const controller = new AbortController()
  const abort = () => controller.abort(signal?.reason)
  const late = () => controller.abort(new Error(`No answer within ${Math.ceil(limitMs)} ms`))
  const timer = setTimeout(late, limitMs)
  signal?.addEventListener('abort', abort, { once: true })
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers,
      body,
      // Another server must not get the key.
      redirect: 'manual',
      signal: controller.signal,
    })
    const { status, headers: answered } = response
    return { url, status, headers: answered, text: await response.text() }
  } catch (error) {
    signal?.throwIfAborted()
    const message = `${url} cannot be reached: ${describe(error)}.`
    return new PosthornError('UNREACHABLE', message, { cause: error })
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
  }
}

/** `fetch` says what happened in the cause. */
function describe(error: unknown): string {
  const { message, cause } = error as { message?: string; cause?: unknown }
  const { code, message: detail } = (cause ?? {}) as { code?: string; message?: string }
  return [message ?? String(error), detail || code].filter(Boolean).join(': ')
}

function timeIsUp(failure: PosthornError, tries: number): PosthornError {
  const { code, message, cause, requestId } = failure
  const count = tries === 1 ? '1 try' : `${tries} tries`
  return new PosthornError(code, `${message} The time is up after ${count}.`, { cause, requestId })
}

async function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  await new Promise<void>((resolve) => {
    const done = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal?.addEventListener('abort', done, { once: true })
  })
}
