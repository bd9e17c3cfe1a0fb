import { causeLabel } from './list/cause-labels.ts'

/** `response_timed_out from https://a.example` -> `Response timed out at https://a.example`. Other errors stay. */
export function errorInWords(error: string): string {
  return error.replace(/^([a-z]+(?:_[a-z]+)+) from /, (_, code) => `${causeLabel(code)} at `)
}
