/** When a UUIDv7 was made, to the millisecond (RFC 9562, section 5.7): rows that only come into being need no column. */
export function madeAt(uuid: string): Date {
  return new Date(Number.parseInt(uuid.replace('-', '').slice(0, 12), 16))
}
