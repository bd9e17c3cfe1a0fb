/** Why a tool did nothing. The message says what to do, and has no text of partners. */
export class ToolError extends Error {
  override readonly name = 'ToolError'
  /** What the API says, which can repeat what partners wrote. */
  readonly detail: unknown

  constructor(message: string, detail: unknown = null) {
    super(message)
    this.detail = detail
  }
}
