/** Why a tool did nothing. The message says what to do, and has no text of partners. */
export class ToolError extends Error {
  override readonly name = 'ToolError'
  /** Text of the API that can repeat what partners wrote. */
  readonly detail: string | null

  constructor(message: string, detail: string | null = null) {
    super(message)
    this.detail = detail
  }
}
