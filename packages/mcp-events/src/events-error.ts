/** The codes of the sketch. They are of general use, and may move before it is final. */
export const CODES = {
  invalidParams: -32602,
  internalError: -32603,
  notFound: -32011,
  forbidden: -32012,
  resourceExhausted: -32013,
  unsupported: -32014,
  callbackEndpointError: -32015,
} as const

/** An error that the MCP server answers with: its code, message and data go to the client. */
export class EventsError extends Error {
  override readonly name = 'EventsError'
  readonly code: number
  readonly data: Readonly<Record<string, unknown>> | undefined

  constructor(
    kind: keyof typeof CODES,
    message: string,
    data?: Readonly<Record<string, unknown>>,
    options?: ErrorOptions,
  ) {
    super(message, options)
    this.code = CODES[kind]
    this.data = data
  }
}

/** A field of the parameters that breaks its rule. */
export function invalidParams(field: string, rule: string): EventsError {
  return new EventsError('invalidParams', `${field} ${rule}`, { field })
}
