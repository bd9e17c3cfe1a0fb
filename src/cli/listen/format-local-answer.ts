import { styleText } from 'node:util'
import { escapeControls } from './escape-controls.ts'
import type { ReceivedDelivery } from './received-delivery.ts'
import { statusText } from './status-text.ts'

type Local = NonNullable<ReceivedDelivery['local']>

/** Characters of the body of an answer that people see. */
const MAX_BODY_LENGTH = 1_000

/** The lines for people: the answer with the start of its body, or why there is none. */
export function formatLocalAnswer({ url, answer }: Local): string[] {
  return answer.kind === 'answered' ? answeredLines(url, answer) : [noAnswer(url, answer)]
}

/** The fields for programs. */
export function localFields({ answer }: Local) {
  const { durationMs } = answer
  const errorCode = answer.kind === 'answered' ? null : codeOf(answer)
  const response = answer.kind === 'answered' ? answer.body.toString() : null
  return { response, durationMs, errorCode }
}

function answeredLines(url: string, { status, body, durationMs }: Answered): string[] {
  const color = status < 300 ? 'green' : 'red'
  const text = body.toString().slice(0, MAX_BODY_LENGTH).trimEnd()
  return [
    `${styleText(color, `← answered ${statusText(status)}`)} by ${url} in ${durationMs} ms`,
    ...(text === '' ? [] : text.split('\n')).map(
      (line) => `  ${styleText('dim', '│')} ${escapeControls(line)}`,
    ),
  ]
}

type Answered = Extract<Local['answer'], { kind: 'answered' }>

function noAnswer(url: string, answer: Exclude<Local['answer'], Answered>): string {
  const code = codeOf(answer)
  const hint = code === 'ECONNREFUSED' ? ' Is your server running?' : ''
  return styleText('red', `✘ no answer from ${url}: ${code}, after ${answer.durationMs} ms.${hint}`)
}

function codeOf(answer: Exclude<Local['answer'], Answered>): string {
  return answer.kind === 'failed' ? answer.errorCode : 'ETIMEDOUT'
}
