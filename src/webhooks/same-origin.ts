/** Whether two destination URLs have the same scheme, host and port. */
export function isSameOrigin(a: string, b: string): boolean {
  return new URL(a).origin === new URL(b).origin
}
