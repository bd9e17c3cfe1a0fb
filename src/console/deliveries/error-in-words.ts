/** `response_timed_out` -> `Response timed out`, `no_tls` -> `No TLS` */
export function codeInWords(code: string): string {
  const words = code
    .replaceAll('_', ' ')
    .replace(/\b(tls|https?|url)\b/g, (word) => word.toUpperCase())
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** `response_timed_out from https://a.example` -> `Response timed out at https://a.example`. Other errors stay. */
export function errorInWords(error: string): string {
  return error.replace(/^([a-z]+(?:_[a-z]+)+) from /, (_, code) => `${codeInWords(code)} at `)
}
